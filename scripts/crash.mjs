// npm run crash [-- --rounds 200] [--job NAME] [--seed S] [--json]: kills processes that write (SIGKILL) at random
// moments, and checks the files they leave. Half of the rounds record. The others update a lock, sign, import, accept
// runs into a baseline, keep the recordings of failed tests, hold a conversation, execute the run of a session, and
// run a fabric of agents, of which the fabric or any agent is killed. With --job, all rounds are of one job. This tests a kill of the process. The result of a power failure
// depends on the disk, which has to flush before a file takes its name.

import { spawn, spawnSync } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, rmSync, utimesSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { parseCassette, saveCassette } from "playhead/cassette";
import { copyFolder, JOBS, leftoversIn, recordJob } from "./crash/jobs.mjs";
import { createRandom } from "./fuzz/random.mjs";

// Nothing writes a lock in CI, and these rounds kill the writing of one.
const { CI: _ci, ...env } = process.env;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "40" },
    seed: { type: "string", default: String(Date.now() % 1_000_000) },
    job: { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);
const seed = Number(values.seed);
if (!Number.isInteger(rounds) || rounds < 1 || !Number.isInteger(seed))
  throw new Error("--rounds and --seed are whole numbers");
const only = JOBS.find(({ name }) => name === values.job);
if (values.job !== undefined && only === undefined)
  throw new Error(`--job is one of ${JOBS.map(({ name }) => name).join(", ")}`);
const root = mkdtempSync(join(tmpdir(), "playhead-crash-"));
/** About the time until a process says that it is ready. */
const START_UP_MS = 300;
/** Milliseconds that each job takes on this machine. */
const spans = new Map([[recordJob.name, 150]]);
const report = { seed, rounds, jobs: {}, failures: [], swept: undefined };
try {
  for (const job of JOBS.filter((each) => only === undefined || each === only || each === recordJob)) {
    mkdirSync(join(root, job.name));
    await job.prepare(join(root, job.name));
    if (job !== recordJob) spans.set(job.name, (await timeWhole(job)) - (job.waits === true ? START_UP_MS : 0));
    report.jobs[job.name] = { rounds: 0, killed: 0, ended: 0, whole: 0, leftovers: 0 };
  }
  for (let round = 0; round < rounds; round++) await runRound(round);
  report.swept = await sweepAll();
} finally {
  rmSync(root, { recursive: true, force: true });
}
print();

async function runRound(round) {
  const random = createRandom(seed, round);
  const turn = round % 2 === 0 ? recordJob : JOBS[1 + (((round - 1) / 2) % (JOBS.length - 1))];
  const job = only ?? turn;
  // Recordings continue in one folder, as in practice. The other jobs start from scratch.
  const folder = job === recordJob ? join(root, job.name) : join(root, `round-${round}`);
  if (job !== recordJob) copyFolder(join(root, job.name), folder);
  const before = leftoversIn(folder).length;
  const row = report.jobs[job.name];
  row.rounds++;
  const isKilled = await killAtRandom(job.args(folder, round), job, random, folder);
  row[isKilled ? "killed" : "ended"]++;
  try {
    row.whole += await job.look(folder);
  } catch (error) {
    report.failures.push({ round, job: job.name, why: String(error) });
  }
  row.leftovers += leftoversIn(folder).length - before;
  if (job !== recordJob) rmSync(folder, { recursive: true });
}

async function timeWhole(job) {
  const folder = join(root, "timed");
  copyFolder(join(root, job.name), folder);
  const started = performance.now();
  const { status, stderr } = spawnSync(process.execPath, job.args(folder, 0), { encoding: "utf8", env });
  const took = performance.now() - started;
  if (status !== 0) throw new Error(`${job.name} failed without being killed: ${stderr}`);
  rmSync(folder, { recursive: true });
  return took;
}

/** True if the process was still working. */
async function killAtRandom(args, { name, waits = false, victims }, random, folder) {
  const span = spans.get(name) ?? 0;
  const child = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "pipe"], env });
  let said = "";
  child.stderr.on("data", (chunk) => (said += String(chunk)));
  const ended = new Promise((resolve) => child.once("close", (code, signal) => resolve({ code, signal })));
  const begun = new Promise((resolve) => child.stdout.once("data", resolve));
  if (waits) await Promise.race([begun, ended]);
  await Promise.race([sleep(random.below(span * 10) / 10), ended]);
  const pids = victims?.(folder) ?? [];
  const isMember = pids.length > 0 && kill(pids[random.below(pids.length)]);
  if (!isMember) child.kill("SIGKILL");
  const { code, signal } = await ended;
  if (signal === "SIGKILL" || (isMember && code === 0)) return true;
  if (code !== 0) throw new Error(`a process ended by itself with ${code}: ${said}`);
  return false;
}

/** False if it has just ended. */
function kill(pid) {
  try {
    return process.kill(pid, "SIGKILL");
  } catch {
    return false;
  }
}

/** Leftovers a day old are gone after the next write into their folder. */
async function sweepAll() {
  const folder = join(root, recordJob.name);
  const found = leftoversIn(folder);
  const old = new Date(Date.now() - 25 * 60 * 60 * 1000);
  for (const name of found) utimesSync(join(folder, name), old, old);
  const cassette = parseCassette(readFileSync(join(folder, "replaced.cassette.json")));
  await saveCassette(join(folder, "afterwards.cassette.json"), cassette);
  return { before: found.length, after: leftoversIn(folder).length };
}

function print() {
  if (values.json) console.log(JSON.stringify(report));
  else {
    console.log(`seed ${seed}, ${rounds} rounds`);
    for (const [name, { rounds: tried, killed, ended, whole, leftovers }] of Object.entries(report.jobs)) {
      console.log(
        `${name.padEnd(14)} ${tried} rounds: ${killed} killed, ${ended} had ended; ${whole} times a file was looked at and whole; ${leftovers} leftovers`,
      );
    }
    console.log(`leftovers a day old: ${report.swept?.before}, after the next write: ${report.swept?.after}`);
    for (const { round, job, why } of report.failures) console.log(`FAILED round ${round}, ${job}: ${why}`);
    console.log(report.failures.length === 0 ? "no torn file" : `${report.failures.length} failed`);
  }
  if (report.failures.length > 0 || report.swept?.after !== 0) process.exitCode = 1;
}
