// The seed of the laws. A commit must get the same verdict twice, so the tests draw with one seed; `npm run laws` draws with
// others, and hands them over in these variables.

import fc from "fast-check";

const { PLAYHEAD_LAW_SEED: seed = "20260101", PLAYHEAD_LAW_RUNS: runs } = process.env;

fc.configureGlobal({ seed: Number(seed), ...(runs === undefined ? {} : { numRuns: Number(runs) }) });
