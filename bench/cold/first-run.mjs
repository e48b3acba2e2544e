// node first-run.mjs stub|record|replay CASSETTE: the first 20 turns of a process. The stub is a loop by hand that loads nothing of Playhead.

import { TURNS } from "./turns.mjs";
import { add, ADD_SCHEMA, assertWork, createModel, GOAL, SYSTEM } from "../workload.mjs";

const [way, path] = process.argv.slice(2);
const ways = { stub, record, replay };
assertWork(await ways[way](), TURNS, 1);

async function stub() {
  const { bareLoop } = await import("../floor/loop.mjs");
  return bareLoop(createModel(TURNS, 1), add, SYSTEM, GOAL);
}

async function record() {
  const { recordingProvider } = await import("playhead/cassette");
  const recorder = recordingProvider(createModel(TURNS, 1));
  const result = await run(recorder);
  const cassette = recorder.toCassette();
  if (cassette.entries.length !== TURNS) throw new Error(`${cassette.entries.length} turns were recorded`);
  return result;
}

async function replay() {
  const { cassetteProvider, loadCassette } = await import("playhead/cassette");
  return run(cassetteProvider(await loadCassette(path)));
}

async function run(provider) {
  const { createRuntime } = await import("playhead");
  const budget = { maxTurns: TURNS, maxToolCalls: TURNS };
  const tool = { name: "add", description: "Adds two numbers", schema: ADD_SCHEMA, invoke: add };
  const agent = { id: "bench", systemPrompt: SYSTEM, provider, customTools: [tool], budget };
  return createRuntime({ agents: [agent] }).run({ goal: GOAL });
}
