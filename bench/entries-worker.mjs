// One cassette with very many entries in a process of its own, for scale.mjs: node entries-worker.mjs ENTRIES. Prints
// one JSON document with the seconds of each step and the peak memory. Every turn has its own question, so the
// caller's data does not grow.

import { cassetteProvider, diffCassettes, formatCassette, parseCassette, recordingProvider } from "playhead/cassette";
import { peakMiB } from "./measure.mjs";

const entries = Number(process.argv[2]);
const MAX_BYTES = 2 ** 30;
const requests = Array.from({ length: entries }, (_, index) => ({
  messages: [{ role: "user", content: `Question ${index}?` }],
}));

function answer(index) {
  const toolCalls = [{ id: `call-${index}`, name: "look", arguments: { index } }];
  return { message: { role: "assistant", content: "", toolCalls }, stopReason: "toolUse" };
}

const seconds = {};

async function time(name, step) {
  const started = process.hrtime.bigint();
  const result = await step();
  seconds[name] = Number(process.hrtime.bigint() - started) / 1e9;
  return result;
}

let asked = 0;
const recorder = recordingProvider({ name: "bench", turn: async () => answer(asked++) });
const recorded = await time("record", async () => {
  for (const request of requests) await recorder.turn(request);
  return recorder.toCassette();
});
const text = await time("write as text", () => formatCassette(recorded));
const bytes = new TextEncoder().encode(text);
const cassette = await time("parse and verify", () => parseCassette(bytes, { maxBytes: MAX_BYTES }));
await time("replay", async () => {
  const replay = cassetteProvider(cassette);
  for (const request of requests) await replay.turn(request);
  replay.assertConsumed();
});
const drifts = await time("diff with itself", () => diffCassettes(cassette, cassette));
if (drifts.length > 0 || cassette.entries.length !== entries) throw new Error("the work was not done");
console.log(JSON.stringify({ entries, megabytes: bytes.length / 1e6, peakMiB: peakMiB(), seconds }));
