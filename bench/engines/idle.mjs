// What a worker that has nothing to do costs, together with its server: processor time, and what the server counts.

import { readdirSync, readFileSync } from "node:fs";
import { createConnection } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { summarise } from "../measure.mjs";

/** Linux counts processor time in hundredths of a second for all programs. */
const TICK_MS = 10;
const START_MS = 60_000;

/** Transactions of PostgreSQL and commands of Redis. */
const COUNTERS = {
  postgres: { name: "transactions", count: countTransactions },
  redis: { name: "commands", count: countCommands },
};

/** Figures for one second. `begin` starts a worker, and `stop` ends it. */
export async function idleness({ name, needs }, servers, { ms, begin, stop }) {
  const rowOf = (what, value) => ({ name: `${name}: ${what}`, ...summarise([value]) });
  let worker;
  try {
    worker = begin();
    if ((await worker.hears("ready", START_MS)) === undefined) throw new Error("it did not start");
    const roots = [worker.child.pid, ...(servers.pids[needs] === undefined ? [] : [servers.pids[needs]])];
    const counter = COUNTERS[needs];
    const counted = await counter?.count(servers);
    const [cpuMs, started] = [cpuMsOf(roots), performance.now()];
    await sleep(ms);
    const spentMs = cpuMsOf(roots) - cpuMs;
    const rows = [rowOf("processor time, ms", (spentMs * 1_000) / (performance.now() - started))];
    if (counter === undefined) return rows;
    const after = await counter.count(servers);
    return [...rows, rowOf(counter.name, ((after.n - counted.n) * 1_000) / (after.at - counted.at))];
  } catch (error) {
    return [{ name: `${name}: processor time, ms`, failed: error.message, isOptional: true }];
  } finally {
    if (worker !== undefined) await stop(worker);
  }
}

/** Processor time of processes and of everything below them, also of what has ended. */
function cpuMsOf(roots) {
  const processes = new Map();
  for (const pid of readdirSync("/proc").filter((name) => /^\d+$/.test(name))) {
    const stat = readStat(pid);
    if (stat !== undefined) processes.set(Number(pid), stat);
  }
  const below = (pid) => [...processes].filter(([, { parent }]) => parent === pid).map(([child]) => child);
  const sum = (pid) => (processes.get(pid)?.ticks ?? 0) + below(pid).reduce((all, child) => all + sum(child), 0);
  return roots.reduce((all, pid) => all + sum(pid), 0) * TICK_MS;
}

/** The fields after the name, which may hold spaces: the parent is the 2nd, and the times of it and its ended children the 12th to 15th. */
function readStat(pid) {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const fields = text
      .slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .map(Number);
    return { parent: fields[1], ticks: fields[11] + fields[12] + fields[13] + fields[14] };
  } catch {
    // It has just ended.
    return undefined;
  }
}

async function countTransactions({ postgres }) {
  const client = new pg.Client({ connectionString: postgres });
  await client.connect();
  // A session reports its own at most once a second.
  await sleep(1_100);
  const { rows } = await client.query(
    "SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = 'postgres'",
  );
  const at = performance.now();
  await client.end();
  return { n: Number(rows[0].n), at };
}

async function countCommands({ redis }) {
  const socket = createConnection(redis, "127.0.0.1");
  socket.write("INFO stats\r\n");
  let text = "";
  for await (const chunk of socket) {
    text += String(chunk);
    if (/total_commands_processed:\d+\r/.test(text)) break;
  }
  return { n: Number(/total_commands_processed:(\d+)/.exec(text)[1]), at: performance.now() };
}
