// npm run bench [-- --quick] [-- --json FILE]: every benchmark, its machine and versions. Figures are for reading; no test
// asserts one.

import { writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { startUp } from "./start-up.mjs";
import { turnLoop } from "./turn-loop.mjs";
import { verify } from "./verify.mjs";

const { values } = parseArgs({ options: { quick: { type: "boolean", default: false }, json: { type: "string" } } });
const machine = {
  cpu: cpus()[0]?.model ?? "unknown",
  cores: cpus().length,
  memoryGiB: Math.round(totalmem() / 2 ** 30),
  platform: `${process.platform}-${process.arch}`,
  node: process.versions.node,
};
console.log(
  `${machine.cpu}, ${machine.cores} cores, ${machine.memoryGiB} GiB, ${machine.platform}, Node ${machine.node}\n`,
);

const quick = values.quick ? { rounds: 3, sampleMs: 5 } : {};
const results = {
  machine,
  turnLoop: await turnLoop(values.quick ? { ...quick, turns: [10, 100], calls: [1] } : {}),
  verify: await verify(values.quick ? { ...quick, turns: [100] } : {}),
  startUp: await startUp(quick),
};
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(results, null, 2) + "\n");
