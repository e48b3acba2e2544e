// The thread that makes the mutations. It writes its position into shared memory, so that the main thread notices a hang.

import { parentPort, workerData } from "node:worker_threads";
import { READERS } from "./readers.mjs";
import { judgeMutation, makeMutation } from "./run.mjs";

const { seed, first, count, place } = workerData;
const readers = READERS.map((reader) => ({ ...reader, seeds: once(reader.seeds) }));
const counts = {};
const broken = [];
let slowest = { index: first, ms: 0, bytes: 0 };

for (let index = first; index < first + count && broken.length < 20; index++) {
  Atomics.store(place, 0, index);
  const mutation = makeMutation(readers, seed, index);
  const started = performance.now();
  const verdict = await judgeMutation(mutation);
  const ms = performance.now() - started;
  if (ms > slowest.ms) slowest = { index, ms, bytes: mutation.bytes.length };
  const { reader, level, what } = mutation;
  const row = ((counts[reader.kind] ??= {})[level] ??= {});
  row[verdict.outcome] = (row[verdict.outcome] ?? 0) + 1;
  if (verdict.broken !== undefined) broken.push({ index, kind: reader.kind, level, what, why: verdict.broken });
}
parentPort?.postMessage({ counts, broken, slowest });

function once(make) {
  let made;
  return () => (made ??= make());
}
