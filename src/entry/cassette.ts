// `playhead/cassette` on Node: the cassette layer, with its store bound to the files of this machine.

import { createCassetteStore } from "../cassette/index.js";
import { nodeFiles } from "../host/index.js";

export * from "../cassette/index.js";

/** Reads and checks a cassette file, and writes one atomically. */
export const { load: loadCassette, save: saveCassette } = createCassetteStore(nodeFiles());
