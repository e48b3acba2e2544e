// npm run chaos [-- --engine sqlite,postgres,bullmq] [--rounds N] [--only FAULT] [--flow NAME,…] [--seed S] [--json]
//
// The reliability bench: injects faults into the durable host, and compares the store with what was acknowledged outside
// of it. Each fault also runs against a store that is broken on purpose, and must find that. Exits with 1 if anything was
// lost, torn or done twice, or if a broken store was not found. docs/host.md says what the faults are.

import { chmodSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { FLOWS } from "./chaos/desk.mjs";
import { FAULTS } from "./chaos/faults.mjs";
import { startPostgres, startRedis, UNFLUSHED } from "./servers.mjs";

const ENGINES = ["sqlite", "postgres", "bullmq"];
/** From so many rounds on, partitions and stops last a minute. */
const FULL_ROUNDS = 25;
/** Enough to find a broken store. */
const BROKEN_ROUNDS = 8;
const COUNTS = ["lost", "torn", "twice"];

const { values } = parseArgs({
  options: {
    engine: { type: "string", default: ENGINES.join() },
    rounds: { type: "string", default: "25" },
    only: { type: "string" },
    flow: { type: "string" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    json: { type: "boolean", default: false },
  },
});
const [rounds, seed] = [toNumber("rounds", values.rounds, 1), toNumber("seed", values.seed, 0)];
const engines = toList("engine", values.engine, ENGINES);
const only = toList(
  "only",
  values.only ?? FAULTS.map(({ name }) => name).join(),
  FAULTS.map(({ name }) => name),
);
const flows = values.flow && toList("flow", values.flow, FLOWS);

const root = mkdtempSync(join(tmpdir(), "playhead-chaos-"));
chmodSync(root, 0o711);
const servers = {};
const rows = [];
const started = performance.now();
try {
  if (engines.some((engine) => engine !== "sqlite")) servers.postgres = await startPostgres(root, UNFLUSHED);
  if (engines.includes("bullmq")) servers.redis = await startRedis(root);
  if (!values.json) console.log(`seed ${seed}, ${rounds} rounds, ${versionsOf(servers)}`);
  for (const fault of FAULTS.filter(({ name }) => only.includes(name)))
    for (const engine of engines.filter((each) => fault.engines.includes(each))) await runFault(fault, engine);
} finally {
  await servers.postgres?.stop();
  await servers.redis?.kill();
  rmSync(root, { recursive: true, force: true });
}
finish();

async function runFault(fault, engine) {
  const row = { fault: fault.name, engine, ...(await tryRun(fault, engine, undefined)) };
  const broken = await tryRun(fault, engine, fault.breaks?.[engine] ?? fault.break);
  row.isFound = COUNTS.some((count) => broken[count] > 0);
  if (!row.isFound) row.problems = [...row.problems, ...broken.problems];
  rows.push(row);
  if (!values.json) printRow(row);
}

/** What goes wrong in the bench itself also counts: nothing passes in silence. */
async function tryRun(fault, engine, broken) {
  const folder = join(root, `${rows.length}-${fault.name}-${broken ?? "whole"}`);
  mkdirSync(folder);
  const terms = {
    ...{ engine, servers, folder, seed, broken, flows, ledger: join(folder, "ledger.jsonl") },
    isFull: broken === undefined && rounds >= FULL_ROUNDS,
    rounds: broken === undefined ? rounds : Math.min(rounds, BROKEN_ROUNDS),
    place: placeOf(engine, folder),
  };
  const begun = performance.now();
  try {
    const found = await fault.run(terms);
    return { ...found, seconds: Math.round((performance.now() - begun) / 1000) };
  } catch (error) {
    if (broken !== undefined) return { lost: 0, torn: 0, twice: 0, problems: [error.stack] };
    return { rounds: 0, points: 0, lost: 1, torn: 0, twice: 0, problems: [error.stack] };
  }
}

function placeOf(engine, folder) {
  if (engine === "sqlite") return { file: join(folder, "host.db") };
  const { url } = servers.postgres;
  const schema = servers.postgres.schema();
  return { url, schema, ...(engine === "bullmq" && { redis: servers.redis.url }) };
}

function versionsOf({ postgres, redis }) {
  const names = [`Node ${process.versions.node}`];
  if (postgres !== undefined) names.push(`PostgreSQL ${postgres.version}`);
  if (redis !== undefined) names.push(`Redis ${redis.version}`);
  return names.join(", ");
}

function printRow({ fault, engine, rounds: tried, points, isFound, note, seconds, problems, ...counts }) {
  if (rows.length === 1) console.log("fault       engine    rounds  points  lost  torn  twice  broken store  seconds");
  const cells = [tried, points, counts.lost, counts.torn, counts.twice];
  const widths = [8, 8, 6, 6, 7];
  const numbers = cells.map((cell, index) => String(cell).padStart(widths[index])).join("");
  const detected = isFound ? "found" : "NOT FOUND";
  const end = `${detected.padStart(14)}${String(seconds ?? "?").padStart(9)}  ${note ?? ""}`;
  console.log(`${fault.padEnd(12)}${engine.padEnd(8)}${numbers}${end}`);
  for (const problem of problems.slice(0, 5)) console.log(`  FAILED ${problem}`);
}

function finish() {
  const isWhole = rows.every((row) => row.isFound && COUNTS.every((count) => row[count] === 0));
  const seconds = Math.round((performance.now() - started) / 1000);
  if (values.json) console.log(JSON.stringify({ seed, rounds, rows }));
  else console.log(isWhole ? `nothing lost, torn or done twice, in ${seconds} s` : "FAILED");
  // What a broken store left open would keep the process alive.
  process.exit(isWhole && rows.length > 0 ? 0 : 1);
}

function toNumber(name, text, least) {
  if (/^\d{1,9}$/.test(text) && Number(text) >= least) return Number(text);
  console.error(`--${name} is ${text}. Pass a whole number from ${least}.`);
  process.exit(2);
}

function toList(name, text, known) {
  const list = text.split(",");
  const strange = list.find((each) => !known.includes(each));
  if (strange === undefined) return list;
  console.error(`--${name} has ${strange}. Pass any of ${known.join(", ")}.`);
  process.exit(2);
}
