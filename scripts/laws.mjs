// npm run laws [-- --rounds 10] [--seed S] [--runs N] [FILES]: runs the laws with seeds that `npm test` does not use,
// with another seed in each round. `--runs` is for laws that set no number of their own. A round that fails prints the
// line that reproduces it, and the other rounds still run. Without FILES, two tests run in full first, of which `npm test`
// runs a part: two processes that send to one conversation, and agents as processes, which take some ten minutes.

import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "10" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    runs: { type: "string", default: "300" },
  },
});
const [rounds, first, runs] = [values.rounds, values.seed, values.runs].map(toNumber);
const files = positionals.length > 0 ? positionals : filesWithLaws();

const WHOLE = [
  ["PLAYHEAD_WRITES", "1000", ["test/host/env/acceptance.test.ts"]],
  ["PLAYHEAD_PROCESSES", "full", ["test/host/process/fabric/acceptance.test.ts", "test/cli/process"]],
];
const failedWhole =
  positionals.length > 0 ? [] : WHOLE.filter(([name, size, paths]) => !passes(paths, { [name]: size }));
const failed = Array.from({ length: rounds }, (_, round) => first + round).filter((seed) => {
  console.log(`\nseed ${seed}, ${files.length} files`);
  return !passes(files, { PLAYHEAD_LAW_SEED: String(seed), PLAYHEAD_LAW_RUNS: String(runs) });
});
for (const [name, size, paths] of failedWhole) console.log(`failed: ${name}=${size} npx vitest run ${paths.join(" ")}`);
for (const seed of failed)
  console.log(
    `failed: npm run laws -- --rounds 1 --seed ${seed} --runs ${runs}${positionals.map((file) => ` ${file}`).join("")}`,
  );
if (failed.length === 0) console.log(`\n${rounds} rounds passed`);
process.exitCode = failed.length + failedWhole.length === 0 ? 0 : 1;

function passes(tests, variables) {
  const limits = ["--testTimeout=600000", "--hookTimeout=600000"];
  const args = [join(root, "node_modules/vitest/vitest.mjs"), "run", "--reporter=dot", "--silent=true", ...limits];
  const env = { ...process.env, ...variables };
  return spawnSync(process.execPath, [...args, ...tests], { cwd: root, stdio: "inherit", env }).status === 0;
}

function filesWithLaws() {
  return readdirSync(join(root, "test"), { recursive: true })
    .filter((name) => name.endsWith(".test.ts"))
    .map((name) => join("test", name))
    .filter((name) => readFileSync(join(root, name), "utf8").includes('from "fast-check"'))
    .sort();
}

function toNumber(text) {
  if (/^\d{1,9}$/.test(text) && Number(text) > 0) return Number(text);
  console.error(`${text} is no whole number from 1 to 999999999`);
  process.exit(2);
}
