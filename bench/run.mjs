// npm run bench [-- --quick] [-- --only NAME,NAME] [-- --peers] [-- --cpu] [-- --json FILE] [-- --results]: every benchmark with
// its machine and versions. Figures are for reading; no test asserts one.

import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { formatGoals, judgeGoals } from "./goals.mjs";
import { describeMachine, formatMachine } from "./machine.mjs";
import { formatResults } from "./results.mjs";
import { runSuite, SUITES, suitesOf } from "./suites.mjs";
import { formatNumber, formatTable } from "./table.mjs";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    guard: { type: "boolean", default: false },
    peers: { type: "boolean", default: false },
    cpu: { type: "boolean", default: false },
    results: { type: "boolean", default: false },
    json: { type: "string" },
    only: { type: "string" },
    files: { type: "string" },
    rounds: { type: "string" },
  },
});
const length = values.guard ? "guard" : values.quick ? "quick" : "whole";
const chosen = values.only?.split(",") ?? suitesOf(length, values.peers);
const unknown = chosen.filter((name) => !Object.hasOwn(SUITES, name));
if (unknown.length > 0) {
  console.error(`bench: there is no ${unknown.join(", ")}; there are ${Object.keys(SUITES).join(", ")}`);
  process.exit(2);
}
if (values.results && (length !== "whole" || values.only !== undefined)) {
  console.error("bench: --results writes every figure, so it goes with neither --quick, --guard nor --only");
  process.exit(2);
}
const options = {
  clock: values.cpu ? "cpu" : "wall",
  ...(values.files === undefined ? {} : { files: toCount("files") }),
  ...(values.rounds === undefined ? {} : { rounds: toCount("rounds") }),
};
const machine = describeMachine();
console.log(`${formatMachine(machine)}\n`);

const tables = [];
for (const suite of chosen) {
  for await (const table of runSuite(suite, length, options)) {
    tables.push({ suite, ...table });
    console.log(formatTable(table));
  }
}
const goals = judgeGoals(tables);
const measured = goals.filter((goal) => goal.measured !== undefined);
if (measured.length > 0) console.log(`${formatGoals(measured, formatNumber)}\n`);
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
if (values.results) writeFileSync(new URL("results.md", import.meta.url), formatResults(results));
// A peer, or a tool that this machine lacks, may be absent; what is ours may not.
if (tables.some(({ rows }) => rows.some((row) => row.failed !== undefined && row.isOptional !== true)))
  process.exitCode = 1;

function toCount(name) {
  const count = Number(values[name]);
  if (Number.isInteger(count) && count > 0) return count;
  console.error(`bench: --${name} takes a whole number of 1 or more, not ${values[name]}`);
  process.exit(2);
}
