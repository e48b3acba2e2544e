// Every benchmark by name. Each is a generator of tables with three lengths: whole, `quick` (does it run?) and `guard`
// (only the ratios of bench:check).

/** A benchmark, whose file is loaded when it runs. */
const from = (file, name) =>
  async function* run(options) {
    yield* (await import(file))[name](options);
  };

const GUARDED_LOOPS = [
  "floor: budget, events, checks",
  "floor: and every hash",
  "playhead: run",
  "playhead: run and record",
  "playhead: verify and replay",
];

export const SUITES = {
  turnLoop: {
    run: from("./turn-loop.mjs", "turnLoop"),
    quick: { turns: [10, 100, 1000], calls: [1] },
    guard: { turns: [10, 100, 1000], calls: [1], names: GUARDED_LOOPS },
  },
  signing: { run: from("./signing.mjs", "signing"), quick: { turns: 20 }, guard: {} },
  vertex: { run: from("./vertex.mjs", "vertex"), quick: {}, guard: {} },
  session: { run: from("./session.mjs", "session"), quick: {}, guard: {} },
  promptHash: { run: from("./prompt-hash.mjs", "promptHash"), quick: { turns: [10, 100] } },
  canon: { run: from("./canon.mjs", "canon"), quick: { sizes: [2_000, 200_000] }, guard: { sizes: [200_000] } },
  replay: { run: from("./replay.mjs", "replay"), quick: { count: 10 }, guard: {} },
  verify: { run: from("./verify.mjs", "verify"), quick: { sizes: [0.1], files: 20, rounds: 1 } },
  diff: { run: from("./diff.mjs", "diff"), quick: { lengths: [10, 100] } },
  driftScale: { run: from("./drift-scale.mjs", "driftScale"), quick: { scenarios: 3, runs: 4, rounds: 1 } },
  durable: { run: from("./durable.mjs", "durable"), quick: {}, guard: {} },
  process: { run: from("./process.mjs", "processes"), quick: { messages: 100, lasting: 400 }, guard: { rounds: 3 } },
  env: { run: from("./env.mjs", "env"), quick: { turns: [10, 100, 1000], rounds: 1 }, guard: {} },
  import: { run: from("./import.mjs", "importing"), quick: { runs: 5, turns: [5] } },
  startUp: {
    run: from("./start-up.mjs", "startUp"),
    quick: { commands: false, rounds: 1 },
    guard: { commands: false },
  },
  cold: {
    run: from("./cold/cold.mjs", "cold"),
    quick: { rounds: 1, entries: ["."], files: [1] },
    guard: { rounds: 5, entries: [".", "./cassette"], files: [1] },
  },
  memory: {
    run: from("./memory.mjs", "memory"),
    quick: { turns: 200, rounds: 1 },
    guard: { rounds: 1, kinds: ["recording"] },
  },
  proxy: { run: from("./proxy.mjs", "proxy"), quick: { conversations: [10, 20], rounds: 1 } },
  install: { run: from("./install.mjs", "install"), quick: undefined },
  scale: { run: from("./scale.mjs", "scale"), quick: { files: 20, entries: 100, rounds: 1, bytes: 2 ** 20 } },
  peerLoops: {
    run: from("./peers/peers.mjs", "peerLoops"),
    quick: { turns: [10], calls: [1], sampleMs: 5 },
    isPeer: true,
  },
  peerFaces: { run: from("./peers/peers.mjs", "peerFaces"), quick: { turns: [10], sampleMs: 5 }, isPeer: true },
  peerSessions: { run: from("./peers/peers.mjs", "peerSessions"), quick: { turns: [10], sampleMs: 5 }, isPeer: true },
  peerColds: { run: from("./cold/cold.mjs", "peerColds"), quick: undefined, isPeer: true },
  peerReplays: { run: from("./peers/peers.mjs", "peerReplays"), quick: {}, isPeer: true },
  engines: {
    run: from("./engines.mjs", "engines"),
    quick: { rounds: 1, jobs: 50, steps: 20, kills: 1, sessions: [100], sampleMs: 5 },
    isPeer: true,
    isNamed: true,
  },
  idle: { run: from("./engines.mjs", "idle"), quick: { idleMs: 1_000 }, isPeer: true, isNamed: true },
  peerServes: { run: from("./peers/peers.mjs", "peerServes"), quick: {}, isPeer: true },
};

const LENGTHS = {
  // Our loop takes 2 to 3 s of processor time until all of it is compiled (measured).
  whole: { warmMs: 3000 },
  quick: { rounds: 2, sampleMs: 2 },
  guard: { rounds: 3, sampleMs: 20, warmMs: 3000 },
};

/** The names in a run of this length by default. Those that start servers run only when they are named. */
export function suitesOf(length, withPeers) {
  return Object.keys(SUITES).filter((name) => {
    const suite = SUITES[name];
    if (suite.isNamed) return false;
    if (suite.isPeer) return withPeers && length !== "guard";
    return length === "whole" || suite[length] !== undefined;
  });
}

export function runSuite(name, length, options) {
  const { run, [length]: own } = SUITES[name];
  return run({ ...LENGTHS[length], ...own, ...options });
}
