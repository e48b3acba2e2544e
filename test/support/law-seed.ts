// The seed of the laws. A commit must get the same verdict twice, so the tests use one seed. `npm run laws` uses
// others and passes them in these variables.

import fc from "fast-check";

const { PLAYHEAD_LAW_SEED: seed = "20260101", PLAYHEAD_LAW_RUNS: runs } = process.env;

fc.configureGlobal({ seed: Number(seed), ...(runs === undefined ? {} : { numRuns: Number(runs) }) });
