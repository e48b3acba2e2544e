// Commands as they are printed for somebody to type again.

/** A word as a POSIX shell reads it. */
export { shellText as quote } from "../../harness/index.js";
