// The turn loops that need no peer: our own, and the floors of bench/floor. Each is timed in its own process (worker.mjs).

import { generateKeyPairSync } from "node:crypto";
import { createRuntime } from "playhead";
import { cassetteProvider, recordingProvider } from "playhead/cassette";
import { bareLoop, guardedLoop, hashedLoop, replayedLoop, signedLoop } from "./floor/loop.mjs";
import { add, ADD_SCHEMA, assertWork, createModel, GOAL, SYSTEM } from "./workload.mjs";

const addTool = { name: "add", description: "Adds two numbers", schema: ADD_SCHEMA, invoke: add };
const { privateKey } = generateKeyPairSync("ed25519");
export const SIGNING_KEY = privateKey.export({ type: "pkcs8", format: "pem" });

/** One run of our loop around `provider`. */
export async function runPlayhead(provider, turns, options = {}) {
  const runtime = createRuntime({
    ...options,
    agents: [
      {
        id: "bench",
        systemPrompt: SYSTEM,
        provider,
        customTools: [addTool],
        budget: { maxTurns: turns, maxToolCalls: turns * 10 },
      },
    ],
  });
  return runtime.run({ goal: GOAL });
}

/** A run recorded from start to end. The time ends when the cassette exists. */
export async function runRecording(turns, calls) {
  const recorder = recordingProvider(createModel(turns, calls));
  const result = await runPlayhead(recorder, turns);
  const { finalAnswer, messages } = result;
  return { finalAnswer, messages, cassette: recorder.toCassette() };
}

/** Plain JSON as on a disk, so that no object is known from the recording. */
async function openCassette(turns, calls) {
  const { cassette } = await runRecording(turns, calls);
  return JSON.parse(JSON.stringify(cassette));
}

const way = (run, open) => ({ run, open, check: assertWork });

export const contestants = {
  "floor: bare": way((turns, calls) => bareLoop(createModel(turns, calls), add, SYSTEM, GOAL)),
  "floor: budget, events, checks": way((turns, calls) => guardedLoop(createModel(turns, calls), add, SYSTEM, GOAL)),
  "floor: and every hash": way((turns, calls) => hashedLoop(createModel(turns, calls), add, SYSTEM, GOAL)),
  "floor: and every recorded hash verified": way(
    (turns, calls, cassette) => replayedLoop(cassette, add, SYSTEM, GOAL),
    openCassette,
  ),
  "floor: a signed receipt of each turn and call": way((turns, calls) =>
    signedLoop(createModel(turns, calls), add, SYSTEM, GOAL, privateKey),
  ),
  "playhead: run": way((turns, calls) => runPlayhead(createModel(turns, calls), turns)),
  "playhead: run and record": {
    run: runRecording,
    check: (result, turns, calls) => {
      assertWork(result, turns, calls);
      if (result.cassette.entries.length !== turns) throw new Error("the cassette does not hold every turn");
    },
  },
  "playhead: verify and replay": way(
    (turns, calls, cassette) => runPlayhead(cassetteProvider(cassette), turns),
    openCassette,
  ),
  "playhead: run with signed receipts": way((turns, calls) =>
    runPlayhead(createModel(turns, calls), turns, { signingKey: SIGNING_KEY }),
  ),
};
