// Quotes words of printed commands for a POSIX shell.

export { shellText as quote } from "../../harness/index.js";
