// What the command line prints of text that it did not write. The rule is the core's, so that an error reads the same in a
// test runner.

export { toVisible, toVisibleJson } from "../../core/index.js";
