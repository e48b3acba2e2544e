// The files in memory that the package ships; the tests use what they test with.

export { memoryFiles, type MemoryFiles } from "../../src/harness/doubles/files.js";
