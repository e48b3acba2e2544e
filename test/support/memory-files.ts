// The in-memory files that the package ships. Our own tests use them too.

export { memoryFiles, type MemoryFiles } from "../../src/harness/doubles/files.js";
