// A module of its own, so that loading it loads the files of the host and nothing else of it.

export { nodeFiles } from "../host/index.js";
