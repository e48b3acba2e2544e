// Prints how many bytes of each finished run stay in the memory until a full collection: node --expose-gc kept-runs.mjs

import { generateKeyPairSync } from "node:crypto";
import { createRuntime } from "playhead";
import { cassetteProvider, recordingProvider } from "playhead/cassette";

const TURNS = 50;
const add = { name: "add", description: "Adds.", schema: { type: "object" }, invoke: async ({ a, b }) => a + b };
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

function run(provider, options = {}) {
  const agent = { id: "a", systemPrompt: "Add.", provider, customTools: [add], budget: { maxTurns: TURNS } };
  return createRuntime({ agents: [agent], ...options }).run({ goal: "Add the numbers." });
}

async function record() {
  const recorder = recordingProvider(createModel());
  await run(recorder);
  return recorder.toCassette();
}

const cassette = JSON.parse(JSON.stringify(await record()));
const ways = {
  run: () => run(createModel()),
  record,
  replay: () => run(cassetteProvider(cassette)),
  sign: () => run(createModel(), { signingKey }),
};

/** Twice, since the first moves young objects to the second half of the young generation. */
function collectYoung() {
  for (let times = 0; times < 2; times++) globalThis.gc({ type: "minor" });
}

async function keptBytes(way) {
  for (let times = 0; times < 50; times++) await way();
  globalThis.gc();
  collectYoung();
  const before = process.memoryUsage().heapUsed;
  for (let batch = 0; batch < 10; batch++) {
    for (let times = 0; times < 10; times++) await way();
    collectYoung();
  }
  return Math.round((process.memoryUsage().heapUsed - before) / 100);
}

const kept = {};
for (const [name, way] of Object.entries(ways)) kept[name] = await keptBytes(way);
console.log(JSON.stringify(kept));
