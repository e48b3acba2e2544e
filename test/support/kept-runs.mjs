// Prints how many bytes of each finished run stay in memory until a full collection. test/memory.test.ts runs it with flags of V8.

import { generateKeyPairSync } from "node:crypto";
import { createRuntime } from "playhead";
import { cassetteProvider, recordingProvider } from "playhead/cassette";

const TURNS = 50;
const add = { name: "add", description: "Adds.", schema: { type: "object" }, invoke };

async function invoke({ a, b }, { signal }) {
  signal.throwIfAborted();
  return a + b;
}

const signingKey = generateKeyPairSync("ed25519").privateKey.export({ type: "pkcs8", format: "pem" });

function createModel() {
  let turn = 0;
  return {
    name: "kept-runs",
    async turn() {
      const stop = { usage: { inputTokens: 1, outputTokens: 1 } };
      if (++turn === TURNS) return { message: { role: "assistant", content: "done" }, stopReason: "stop", ...stop };
      const toolCalls = [{ id: `call_${turn}`, name: "add", arguments: { a: turn, b: 1 } }];
      return { message: { role: "assistant", content: "", toolCalls }, stopReason: "toolUse", ...stop };
    },
  };
}

function createGetter(list) {
  return {
    get length() {
      return list.length;
    },
  };
}

function run(provider, options = {}, streaming = false) {
  const agent = { id: "a", systemPrompt: "Add.", provider, streaming, customTools: [add], budget: { maxTurns: TURNS } };
  return createRuntime({ agents: [agent], ...options }).run({ goal: "Add the numbers." });
}

async function record() {
  const recorder = recordingProvider(createModel());
  await run(recorder);
  return recorder.toCassette();
}

const cassette = JSON.parse(JSON.stringify(await record()));
const ways = {
  /** Keeps 25,000 bytes and more: V8 allocates the getter of a literal in the old generation. */
  control: () => createGetter(Array.from({ length: 1_000 }, (_, index) => ({ index }))),
  run: () => run(createModel()),
  record,
  replay: () => run(cassetteProvider(cassette)),
  stream: () => run(cassetteProvider(cassette), {}, true),
  sign: () => run(createModel(), { signingKey }),
};

/** Twice, since the first moves young objects to the second half of the young generation. */
function collectYoung() {
  for (let times = 0; times < 2; times++) globalThis.gc({ type: "minor" });
}

/** The median of ten batches, since compiled code counts as well. */
async function keptBytes(way) {
  for (let times = 0; times < 50; times++) await way();
  globalThis.gc();
  const batches = [];
  for (let batch = 0; batch < 10; batch++) {
    collectYoung();
    const before = process.memoryUsage().heapUsed;
    for (let times = 0; times < 10; times++) await way();
    collectYoung();
    batches.push((process.memoryUsage().heapUsed - before) / 10);
  }
  return Math.round(batches.sort((a, b) => a - b)[5]);
}

const kept = {};
for (const [name, way] of Object.entries(ways)) kept[name] = await keptBytes(way);
console.log(JSON.stringify(kept));
