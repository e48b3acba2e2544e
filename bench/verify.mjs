// Megabytes per second of loading a cassette from its bytes with every check: UTF-8, strict JSON, shape, all hashes.

import { formatCassette, parseCassette, recordingProvider } from "playhead/cassette";
import { summarise, formatTable } from "./measure.mjs";
import { runPlayhead } from "./turn-loop.mjs";
import { createModel } from "./workload.mjs";

export async function verify({ rounds = 9, turns = [100, 1000, 10_000] } = {}) {
  const rows = [];
  for (const length of turns) {
    const recorder = recordingProvider(createModel(length));
    await runPlayhead(recorder, length);
    const bytes = new TextEncoder().encode(formatCassette(recorder.toCassette()));
    const megabytes = bytes.length / 1e6;
    const speeds = [];
    for (let round = 0; round < rounds; round++) {
      const started = process.hrtime.bigint();
      parseCassette(bytes);
      speeds.push(megabytes / (Number(process.hrtime.bigint() - started) / 1e9));
    }
    rows.push({ name: `one cassette of ${megabytes.toFixed(2)} MB (${length} turns)`, ...summarise(speeds) });
  }
  console.log(formatTable("verify", "MB/s", rows));
  return rows;
}
