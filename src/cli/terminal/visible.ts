// Escapes foreign text, with the core's rule, so that an error reads the same in a test runner.

export { toVisible, toVisibleJson } from "../../core/index.js";
