// Every benchmark by name. Each is a generator of tables with three lengths: whole, `quick` (does it run?) and `guard`
// (only the ratios of bench:check).

import { canon } from "./canon.mjs";
import { cold, peerColds } from "./cold/cold.mjs";
import { diff } from "./diff.mjs";
import { driftScale } from "./drift-scale.mjs";
import { durable } from "./durable.mjs";
import { engines, idle } from "./engines.mjs";
import { env } from "./env.mjs";
import { importing } from "./import.mjs";
import { install } from "./install.mjs";
import { memory } from "./memory.mjs";
import { peerFaces, peerLoops, peerReplays, peerServes, peerSessions } from "./peers/peers.mjs";
import { processes } from "./process.mjs";
import { proxy } from "./proxy.mjs";
import { promptHash } from "./prompt-hash.mjs";
import { replay } from "./replay.mjs";
import { scale } from "./scale.mjs";
import { session } from "./session.mjs";
import { signing } from "./signing.mjs";
import { startUp } from "./start-up.mjs";
import { turnLoop } from "./turn-loop.mjs";
import { verify } from "./verify.mjs";
import { vertex } from "./vertex.mjs";

const GUARDED_LOOPS = [
  "floor: budget, events, checks",
  "floor: and every hash",
  "playhead: run",
  "playhead: run and record",
  "playhead: verify and replay",
];

export const SUITES = {
  turnLoop: {
    run: turnLoop,
    quick: { turns: [10, 100, 1000], calls: [1] },
    guard: { turns: [10, 100, 1000], calls: [1], names: GUARDED_LOOPS },
  },
  signing: { run: signing, quick: { turns: 20 }, guard: {} },
  vertex: { run: vertex, quick: {}, guard: {} },
  session: { run: session, quick: {}, guard: {} },
  promptHash: { run: promptHash, quick: { turns: [10, 100] } },
  canon: { run: canon, quick: { sizes: [2_000, 200_000] }, guard: { sizes: [200_000] } },
  replay: { run: replay, quick: { count: 10 }, guard: {} },
  verify: { run: verify, quick: { sizes: [0.1], files: 20, rounds: 1 } },
  diff: { run: diff, quick: { lengths: [10, 100] } },
  driftScale: { run: driftScale, quick: { scenarios: 3, runs: 4, rounds: 1 } },
  durable: { run: durable, quick: {}, guard: {} },
  process: { run: processes, quick: { messages: 100, lasting: 400 }, guard: { rounds: 3 } },
  env: { run: env, quick: { turns: [10, 100, 1000], rounds: 1 }, guard: {} },
  import: { run: importing, quick: { runs: 5, turns: [5] } },
  startUp: { run: startUp, quick: { commands: false, rounds: 1 }, guard: { commands: false } },
  cold: {
    run: cold,
    quick: { rounds: 1, entries: ["."], files: [1] },
    guard: { rounds: 5, entries: [".", "./cassette"], files: [1] },
  },
  memory: { run: memory, quick: { turns: 200, rounds: 1 }, guard: { rounds: 1, kinds: ["recording"] } },
  proxy: { run: proxy, quick: { conversations: [10, 20], rounds: 1 } },
  install: { run: install, quick: undefined },
  scale: { run: scale, quick: { files: 20, entries: 100, rounds: 1, bytes: 2 ** 20 } },
  peerLoops: { run: peerLoops, quick: { turns: [10], calls: [1], sampleMs: 5 }, isPeer: true },
  peerFaces: { run: peerFaces, quick: { turns: [10], sampleMs: 5 }, isPeer: true },
  peerSessions: { run: peerSessions, quick: { turns: [10], sampleMs: 5 }, isPeer: true },
  peerColds: { run: peerColds, quick: undefined, isPeer: true },
  peerReplays: { run: peerReplays, quick: {}, isPeer: true },
  engines: {
    run: engines,
    quick: { rounds: 1, jobs: 50, steps: 20, kills: 1, sessions: [100], sampleMs: 5 },
    isPeer: true,
  },
  idle: { run: idle, quick: { idleMs: 1_000 }, isPeer: true },
  peerServes: { run: peerServes, quick: {}, isPeer: true },
};

const LENGTHS = {
  // Our loop takes 0.7 s of processor time until all of it is compiled (measured).
  whole: { warmMs: 1000 },
  quick: { rounds: 2, sampleMs: 2 },
  guard: { rounds: 7, sampleMs: 20, warmMs: 1000 },
};

/** The names in a run of this length by default. */
export function suitesOf(length, withPeers) {
  return Object.keys(SUITES).filter((name) => {
    const suite = SUITES[name];
    if (suite.isPeer) return withPeers && length !== "guard";
    return length === "whole" || suite[length] !== undefined;
  });
}

export function runSuite(name, length, options) {
  const { run, [length]: own } = SUITES[name];
  return run({ ...LENGTHS[length], ...own, ...options });
}
