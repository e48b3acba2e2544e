// npm run bench [-- --quick] [-- --only NAME,NAME] [-- --peers] [-- --cpu] [-- --json FILE] [-- --results]: runs every
// benchmark, and prints the machine and versions. The figures are for reading, and no test asserts one.

import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { formatGoals, judgeGoals } from "./goals.mjs";
import { describeMachine, formatMachine } from "./machine.mjs";
import { assertWritable, fail, readCount, readOptions } from "./options.mjs";
import { addResults, formatResults } from "./results.mjs";
import { runSuite, SUITES, suitesOf } from "./suites.mjs";
import { formatNumber, formatTable } from "./table.mjs";

const USAGE = `node bench/run.mjs [options]

  --quick            a short run that shows whether everything works. Its figures mean little
  --guard            only the ratios of bench:check
  --only NAME,NAME   only these: ${Object.keys(SUITES).join(", ")}
  --peers            also the peers, installed once into .playhead/bench-peers
  --cpu              processor time instead of wall time, except for whole processes
  --json FILE        every sample as JSON
  --results          writes bench/results.md. With --only, replaces the tables of these benchmarks in it
  --rounds N         number of samples of each contestant
  --files N          number of files for scale and verify`;
const OPTIONS = {
  quick: { type: "boolean", default: false },
  guard: { type: "boolean", default: false },
  peers: { type: "boolean", default: false },
  cpu: { type: "boolean", default: false },
  results: { type: "boolean", default: false },
  json: { type: "string" },
  only: { type: "string" },
  files: { type: "string" },
  rounds: { type: "string" },
};
const values = readOptions("bench", OPTIONS, { usage: USAGE });
const resultsFile = fileURLToPath(new URL("results.md", import.meta.url));
if (values.quick && values.guard) fail("bench", "--quick and --guard are two lengths of a run: give one of them");
const length = values.guard ? "guard" : values.quick ? "quick" : "whole";
const chosen = values.only === undefined ? suitesOf(length, values.peers) : [...new Set(values.only.split(","))];
const unknown = chosen.filter((name) => !Object.hasOwn(SUITES, name));
if (unknown.length > 0) {
  const names = unknown.map((name) => (name === "" ? "benchmark without a name" : name)).join(", ");
  fail("bench", `there is no ${names}; there are ${Object.keys(SUITES).join(", ")}`);
}
if (values.results && length !== "whole")
  fail("bench", "--results writes figures of a whole run, so it goes with neither --quick nor --guard");
if (values.results) assertWritable("bench", "results", resultsFile);
if (values.json !== undefined) assertWritable("bench", "json", values.json);
const options = {
  clock: values.cpu ? "cpu" : "wall",
  ...(values.files === undefined ? {} : { files: readCount("bench", "files", values.files, 1, 1_000_000) }),
  ...(values.rounds === undefined ? {} : { rounds: readCount("bench", "rounds", values.rounds, 1, 1_000) }),
};
const columns = process.stdout.isTTY ? process.stdout.columns : Infinity;
const machine = describeMachine();
console.log(`${formatMachine(machine)}\n`);

const tables = [];
for (const suite of chosen) {
  for await (const table of tablesOf(suite)) {
    tables.push({ suite, ...table });
    console.log(formatTable(table, columns));
  }
}
const goals = judgeGoals(tables);
const measured = goals.filter((goal) => goal.measured !== undefined);
if (measured.length > 0) console.log(`${formatGoals(measured, formatNumber, columns)}\n`);
const versions = Object.fromEntries(tables.flatMap((table) => Object.entries(table.versions ?? {})));
const results = {
  schemaVersion: 1,
  takenAt: new Date().toISOString(),
  length,
  ...options,
  machine,
  versions,
  goals,
  tables,
};
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(results, null, 2) + "\n");
if (values.results) {
  const text =
    values.only === undefined
      ? formatResults(results)
      : addResults(readFileSync(resultsFile, "utf8"), results, chosen.join(", "));
  writeFileSync(resultsFile, text);
}
// A peer, or a tool that this machine lacks, may be absent. Our own contestants may not.
if (tables.some(({ rows }) => rows.some((row) => row.failed !== undefined && row.isOptional !== true)))
  process.exitCode = 1;

/** A benchmark that fails must not lose the results of the others. */
async function* tablesOf(suite) {
  try {
    yield* runSuite(suite, length, options);
  } catch (error) {
    const failed = error instanceof Error ? error.message : String(error);
    yield { key: "failed", title: `${suite} gave up`, unit: "-", rows: [{ name: suite, failed }] };
  }
}
