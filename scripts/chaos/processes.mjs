// Processes of the bench, and what their ledger must agree with.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { NAMESPACE, openStore, SESSIONS } from "./store.mjs";

const PROGRAM = fileURLToPath(new URL("process.mjs", import.meta.url));
const OPEN = ["queued", "leased", "running", "suspended", "needs-recovery"];
/** A machine that is busy is slow. Nothing here measures it. */
const PATIENCE_MS = 120_000;
const LOOK_MS = 25;

/** The processes of one fault on one store. All are killed at its end. */
export function createProcesses(place, ledger) {
  const children = new Set();
  let names = 0;
  writeFileSync(ledger, "");

  return {
    start(task, options = {}) {
      const name = `p${names++}`;
      const given = JSON.stringify({ name, ledger, ...options });
      const args = ["--pdeathsig", "KILL", process.execPath, PROGRAM, task, JSON.stringify(place), given];
      const child = spawn("setpriv", args, { stdio: ["pipe", "pipe", "pipe"] });
      children.add(child);
      const said = [];
      let wrong = "";
      child.stderr.on("data", (chunk) => (wrong += String(chunk)));
      // A dead process reads no more.
      child.stdin.on("error", () => undefined);
      createInterface({ input: child.stdout }).on("line", (line) => said.push(JSON.parse(line)));
      const hears = (key, from = 0) =>
        until(() => {
          const line = said.slice(from).find((each) => key in each);
          if (line === undefined && child.exitCode !== null) throw new Error(`a process ended: ${wrong}`);
          return line;
        });
      const write = (line = "go") => child.stdin.write(`${line}\n`);
      const ended = once(child, "exit");
      return { name, child, ended, said, hears, write, wrong: () => wrong };
    },
    kill: (started) => end(started.child),
    async killAll() {
      await Promise.all([...children].map(end));
    },
    lines: () =>
      readFileSync(ledger, "utf8")
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
  };
}

async function end(child) {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const closed = once(child, "exit");
  child.kill("SIGKILL");
  await closed;
}

/** Waits in milliseconds: the median and the 95th percentile. */
export function percentiles(waits) {
  const sorted = [...waits].sort((a, b) => a - b);
  const at = (share) => Math.round(sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? 0);
  return `p50 ${at(0.5)} ms, p95 ${at(0.95)} ms`;
}

/** A clock that all processes of a machine share. */
export const steadyMs = () => Number(process.hrtime.bigint() / 1_000_000n);

/** A separate store next to the one at `place`. */
export const beside = (place, name) =>
  place.file === undefined ? { ...place, schema: `${place.schema}${name}` } : { file: `${place.file}-${name}` };

/** Resolves with what `find` returns or resolves with, once that is not undefined or false. */
export async function until(find, patienceMs = PATIENCE_MS) {
  const started = performance.now();
  for (;;) {
    const found = await find();
    if (found !== undefined && found !== false) return found;
    if (performance.now() - started > patienceMs) throw new Error(`nothing came of ${find}`);
    await sleep(LOOK_MS);
  }
}

/** True if no run is open. A store that cannot be reached says nothing. */
export async function isDrained(host) {
  return (await countOpen(host)) === 0;
}

async function countOpen(host) {
  const { runs } = await host.admin.stats().catch(() => ({ runs: { queued: Infinity } }));
  return OPEN.reduce((sum, status) => sum + (runs[status] ?? 0), 0);
}

/** Resolves once no run is open, or none has ended for `patienceMs`. */
async function drain(host, patienceMs = PATIENCE_MS) {
  for (let least = Infinity, since = performance.now(); least > 0; await sleep(LOOK_MS)) {
    const open = await countOpen(host);
    if (open < least) [least, since] = [open, performance.now()];
    else if (performance.now() - since > patienceMs) return;
  }
}

/** Executes what is left, and compares the store with the ledger of what was acknowledged. */
export async function settle(place, processes, options = {}) {
  const { host } = await openStore(place, { ports: { warn: () => undefined } });
  try {
    const last = processes.start("desk", { gives: false, ...options });
    await drain(host, options.patienceMs);
    await processes.kill(last);
    return await compare(host, processes.lines(), options.repeated);
  } finally {
    await host.close();
  }
}

/** `repeated` is a text that comes again, each time with another key. */
async function compare(host, lines, repeated) {
  const found = { lost: 0, torn: 0, twice: 0, problems: [] };
  const blame = (kind, why) => {
    found[kind] += 1;
    if (found.problems.length < 5) found.problems.push(`${kind}: ${why}`);
  };
  const acked = lines.filter(([what]) => what === "ack");
  const keys = new Map();
  for (const [what, text, key] of lines) {
    if (what !== "tool" || text === repeated) continue;
    if (keys.has(text) && keys.get(text) !== key) blame("twice", `the tool of ${text} had two keys`);
    keys.set(text, key);
  }
  const answered = new Map();
  for (const key of SESSIONS) {
    const history = (await host.store.sessions.load(key))?.state.history ?? [];
    const last = new Map();
    for (let at = 0; at < history.length; at += 4) {
      const [user, ask, tool, answer] = history.slice(at, at + 4);
      const text = String(user.content);
      const isWhole = user.role === "user" && ask?.toolCalls?.length === 1 && tool?.content === "noted";
      if (!isWhole || answer?.content !== `re: ${text}`) {
        blame("torn", `the turn of ${text} in ${key}`);
        break;
      }
      if (answered.has(text)) blame("twice", `${text} was answered twice`);
      answered.set(text, key);
      const [giver, number] = text.split(" ");
      if (Number(number) < (last.get(giver) ?? -1)) blame("torn", `${text} came too late`);
      last.set(giver, Number(number));
    }
  }
  for (const [, text, runId, key] of acked) {
    if (answered.get(text) !== key) blame("lost", `${text} was acknowledged`);
    else await checkEvents(host, runId, text, blame);
  }
  return { ...found, acknowledged: acked.length };
}

async function checkEvents(host, runId, text, blame) {
  const types = [];
  for await (const { event } of host.store.events.read(runId)) types.push(event.type);
  const ends = types.filter((type) => type === "turn-end").length;
  if (ends !== 1 || types.at(-1) !== "turn-end") blame("torn", `the events of ${text} are ${types.join()}`);
  const calls = types.filter((type) => type === "tool-result").length;
  if (calls !== 1) blame(calls === 0 ? "lost" : "twice", `the events of ${text} have ${calls} results`);
}

export { NAMESPACE, SESSIONS };
