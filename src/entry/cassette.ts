// `playhead/cassette` on Node: the cassette layer, with its store bound to the files of this machine.

import { createBundleStore, createCassetteStore } from "../cassette/index.js";
import { nodeFiles, pathBeside } from "../host/index.js";

export * from "../cassette/index.js";

/** Reads and checks a cassette file, and writes one atomically. */
export const { load: loadCassette, save: saveCassette } = createCassetteStore(nodeFiles());

/** Reads and checks a bundle with its cassettes, and writes them so that a stop leaves the old ones or the new. */
export const { load: loadBundle, save: saveBundle } = createBundleStore(nodeFiles(), pathBeside);
