// npm run bench [-- --quick] [-- --json FILE] [-- --only NAME]: every benchmark, its machine and versions. Figures are for reading; no test
// asserts one.

import { writeFileSync } from "node:fs";
import { cpus, totalmem } from "node:os";
import { parseArgs } from "node:util";
import { diff } from "./diff.mjs";
import { scale } from "./scale.mjs";
import { startUp } from "./start-up.mjs";
import { turnLoop } from "./turn-loop.mjs";
import { verify } from "./verify.mjs";

const { values } = parseArgs({
  options: {
    quick: { type: "boolean", default: false },
    json: { type: "string" },
    only: { type: "string" },
    files: { type: "string", default: "10000" },
  },
});
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
const benches = {
  turnLoop: () => turnLoop(values.quick ? { ...quick, turns: [10, 100], calls: [1] } : {}),
  verify: () => verify(values.quick ? { ...quick, turns: [100] } : {}),
  diff: () => diff(values.quick ? { ...quick, lengths: [10, 100] } : {}),
  startUp: () => startUp(quick),
  scale: () => scale(values.quick ? { files: 100, rounds: 1, bytes: 2 ** 20 } : { files: Number(values.files) }),
};
const chosen = values.only === undefined ? Object.keys(benches) : [values.only];
const results = { machine };
for (const name of chosen) {
  if (!Object.hasOwn(benches, name))
    throw new Error(`there is no ${name}; there are ${Object.keys(benches).join(", ")}`);
  results[name] = await benches[name]();
}
if (values.json !== undefined) writeFileSync(values.json, JSON.stringify(results, null, 2) + "\n");
