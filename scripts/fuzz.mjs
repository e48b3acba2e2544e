// npm run fuzz [-- --count 200000] [--seed S] [--only INDEX [--out FILE]] [--json]: damages files of every kind at
// three levels, and reads them. A file may be refused with a CassetteError, or load with its original meaning.
// Anything else is a failure, and so is a mutation that takes longer than 20 seconds. A failure is printed with the
// line that reproduces it.

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import { READERS } from "./fuzz/readers.mjs";
import { judgeMutation, makeMutation } from "./fuzz/run.mjs";

const HANG_MS = 20_000;
const { values } = parseArgs({
  options: {
    count: { type: "string", default: "20000" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    only: { type: "string" },
    out: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const [seed, count] = [values.seed, values.count].map(toNumber);
if (values.only !== undefined) await showOne(toNumber(values.only));
else await runAll();

function toNumber(text) {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  console.error(`${text} must be a whole number`);
  process.exit(2);
}

async function showOne(index) {
  const { reader, from, level, what, bytes, ...rest } = makeMutation(READERS, seed, index);
  console.log(
    `mutation ${index} of seed ${seed}: a ${reader.kind}, ${from.name}, ${level}: ${what}, ${bytes.length} bytes`,
  );
  if (values.out !== undefined) writeFileSync(values.out, bytes);
  const { outcome, broken } = await judgeMutation({ reader, from, bytes, ...rest });
  console.log(broken ?? outcome);
  if (broken !== undefined) process.exitCode = 1;
}

async function runAll() {
  if (!values.json) console.log(`seed ${seed}, ${count} mutations`);
  const started = performance.now();
  const result = await inThread();
  const seconds = (performance.now() - started) / 1000;
  if (values.json) console.log(JSON.stringify({ seed, count, ...result }));
  else printAll(result, seconds);
  if (result.broken.length > 0) process.exitCode = 1;
}

function inThread() {
  const place = new Int32Array(new SharedArrayBuffer(4));
  const worker = new Worker(new URL("./fuzz/worker.mjs", import.meta.url), {
    workerData: { seed, first: 0, count, place },
  });
  return new Promise((resolve, reject) => {
    let [last, since] = [-1, performance.now()];
    const watch = setInterval(() => {
      const now = Atomics.load(place, 0);
      if (now !== last) [last, since] = [now, performance.now()];
      else if (performance.now() - since > HANG_MS) {
        clearInterval(watch);
        void worker.terminate();
        const why = `no answer within ${HANG_MS / 1000} seconds`;
        resolve({ counts: {}, broken: [{ index: now, kind: "?", level: "?", what: "?", why }], slowest: undefined });
      }
    }, 500);
    worker.once("message", (result) => (clearInterval(watch), resolve(result)));
    worker.once("error", (error) => (clearInterval(watch), reject(error)));
  });
}

function printAll({ counts, broken, slowest }, seconds) {
  for (const [kind, levels] of Object.entries(counts)) {
    for (const [level, outcomes] of Object.entries(levels)) {
      const total = Object.values(outcomes).reduce((sum, each) => sum + each, 0);
      console.log(`\n${kind}, ${level}: ${total}`);
      const sorted = Object.entries(outcomes).sort((a, b) => b[1] - a[1]);
      for (const [outcome, times] of sorted) console.log(`  ${String(times).padStart(7)}  ${outcome}`);
    }
  }
  console.log(
    `\n${seconds.toFixed(1)} s; the slowest was ${slowest?.index}: ${slowest?.ms.toFixed(1)} ms for ${slowest?.bytes} bytes`,
  );
  for (const { index, kind, level, what, why } of broken) {
    console.log(
      `\nBROKEN ${kind}, ${level}, ${what}: ${why}\n  npm run fuzz -- --seed ${seed} --only ${index} --out mutation`,
    );
  }
  console.log(broken.length === 0 ? "nothing broke" : `${broken.length} broke`);
}
