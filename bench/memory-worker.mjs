// One run in a process of its own, for memory.mjs: node --expose-gc memory-worker.mjs KIND TURNS. Prints one JSON
// document. The held memory is the heap after a collection, when the model gets the last request. The run and the
// recorder are both alive then.

import { cassetteProvider, recordingProvider } from "playhead/cassette";
import { hashedLoop } from "./floor/loop.mjs";
import { peakMiB } from "./measure.mjs";
import { runPlayhead, SIGNING_KEY } from "./turn-loop-ways.mjs";
import { add, assertWork, createModel, GOAL, SYSTEM } from "./workload.mjs";

const [kind, turnsText] = process.argv.slice(2);
const turns = Number(turnsText);

const WAYS = {
  floor: (model) => hashedLoop(model, add, SYSTEM, GOAL),
  bare: (model, length) => runPlayhead(model, length),
  recording: record,
  replaying: async (model, length) => runPlayhead(cassetteProvider((await record(model, length)).cassette), length),
  signed: (model, length) => runPlayhead(model, length, { signingKey: SIGNING_KEY }),
};

async function record(model, length) {
  const recorder = recordingProvider(model);
  const result = await runPlayhead(recorder, length);
  const { finalAnswer, messages } = result;
  return { finalAnswer, messages, cassette: recorder.toCassette() };
}

function heldMiB() {
  // Twice, because the second collects what finalizers released.
  globalThis.gc();
  globalThis.gc();
  const { heapUsed, external } = process.memoryUsage();
  return (heapUsed + external) / 2 ** 20;
}

/** The memory of a value that is built from its JSON text. */
function sizeOf(value) {
  const text = JSON.stringify(value);
  const before = heldMiB();
  const copy = JSON.parse(text);
  const size = heldMiB() - before;
  if (copy === undefined || text.length === 0) throw new Error("nothing was built");
  return size;
}

const run = WAYS[kind];
// Load and compile everything before counting.
assertWork(await run(createModel(10), 10), 10);
const before = heldMiB();
let held = 0;
const result = await run(
  createModel(turns, 1, () => (held = heldMiB() - before)),
  turns,
);
assertWork(result, turns);
const peak = peakMiB();
const { cassette, messages } = result;
const figures = { kind, turns, peakMiB: peak, heldMiB: held };
if (cassette !== undefined) {
  figures.cassetteMiB = sizeOf(cassette);
  figures.conversationMiB = sizeOf(messages);
  figures.beyondMiB = held - figures.cassetteMiB;
}
console.log(JSON.stringify(figures));
