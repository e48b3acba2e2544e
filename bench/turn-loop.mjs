// Microseconds per turn of a whole run, beside the hand-written floors of bench/floor.

import { createRuntime } from "playhead";
import { cassetteProvider, recordingProvider } from "playhead/cassette";
import { bareLoop, guardedLoop, hashedLoop } from "./floor/loop.mjs";
import { formatTable, measure } from "./measure.mjs";
import { add, ADD_SCHEMA, assertWork, createModel, GOAL, SYSTEM } from "./workload.mjs";

export const addTool = { name: "add", description: "Adds two numbers", schema: ADD_SCHEMA, invoke: add };

/** One run of our loop around `provider`. */
export async function runPlayhead(provider, turns) {
  const runtime = createRuntime({
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

export async function turnLoop({ turns = [10, 100, 1000], calls = [1, 3], ...options } = {}) {
  const tables = [];
  for (const perTurn of calls) {
    for (const length of turns) {
      const rows = await measure(await contestants(length, perTurn), options);
      tables.push({ turns: length, calls: perTurn, rows });
      console.log(formatTable(`turn loop, ${length} turns, ${perTurn} call(s) a turn`, "µs per turn", rows));
    }
  }
  return tables;
}

async function contestants(turns, calls) {
  const recorder = recordingProvider(createModel(turns, calls));
  assertWork(await runPlayhead(recorder, turns), turns, calls);
  const cassette = recorder.toCassette();
  const each = (name, run) => ({ name, units: turns, run: async () => assertWork(await run(), turns, calls) });
  return [
    each("floor: bare", () => bareLoop(createModel(turns, calls), add, SYSTEM, GOAL)),
    each("floor: budget, events, checks", () => guardedLoop(createModel(turns, calls), add, SYSTEM, GOAL)),
    each("floor: and every hash", () => hashedLoop(createModel(turns, calls), add, SYSTEM, GOAL)),
    each("playhead: run", () => runPlayhead(createModel(turns, calls), turns)),
    each("playhead: run and record", async () => {
      const recording = recordingProvider(createModel(turns, calls));
      const result = await runPlayhead(recording, turns);
      recording.toCassette();
      return result;
    }),
    each("playhead: verify and replay", () => runPlayhead(cassetteProvider(cassette), turns)),
  ];
}
