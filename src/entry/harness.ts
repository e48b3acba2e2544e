// `playhead/harness`: the harness, bound to the files and environment of this process.

import { createCassetteFor, createUseCassette } from "../harness/index.js";
import { nodeFiles } from "../host/index.js";

export * from "../harness/index.js";

/** One cassette for one test in any runner; see `UseCassette`. The mode comes from CASSETTE_MODE and CI. */
export const useCassette = createUseCassette({ files: nodeFiles(), environment: process.env });

/** The cassette of a test of `node:test`, found by its file and name; see `CassetteFor`. */
export const cassetteFor = createCassetteFor({ files: nodeFiles(), environment: process.env });
