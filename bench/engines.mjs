// The durable host beside other engines, on real servers: the same jobs, steps and kills. Each sample is a process of its own.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createConnection } from "node:net";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import pg from "pg";
import { postgresStep } from "./engines/postgres-step.mjs";
import { growth, scaleOut } from "./engines/growth.mjs";
import { openServers } from "./engines/servers.mjs";
import { measure } from "./measure.mjs";
import { ENGINE_PEERS } from "./peers/catalog.mjs";
import { installPeer } from "./peers/install.mjs";
import { closeScratch, openScratch } from "./scratch.mjs";

const moduleOf = (name) => fileURLToPath(new URL(`engines/${name}.mjs`, import.meta.url));
const WORKER = moduleOf("worker");
const PLACES = 8;
/** Longest time in ms that a sample waits for a job to begin again. */
const MAX_TAKEOVER_MS = 90_000;

const ENGINES = [
  { name: "playhead on SQLite", module: "playhead", needs: "file", hasSteps: true },
  { name: "playhead on PostgreSQL", module: "playhead", needs: "postgres", hasSteps: true },
  { name: "BullMQ on Redis", module: "bullmq", needs: "redis", hasSteps: false },
  { name: "pg-boss on PostgreSQL", module: "pg-boss", needs: "postgres", hasSteps: false },
  { name: "DBOS on PostgreSQL", module: "dbos", needs: "postgres", hasSteps: true },
  { name: "Restate", module: "restate", needs: "restate", hasSteps: true },
];

export async function* engines({ rounds = 5, jobs = 1_000, steps = 200, idleMs = 10_000, kills = 3, ...options } = {}) {
  const folder = openScratch("engines");
  const servers = await openServers(folder);
  const field = { folder, servers, peers: installedPeers(), children: new Set() };
  const versions = versionsOf();
  try {
    yield {
      ...(await table(field, "deliver", "a job that does nothing, 8 places in one process", { jobs }, rounds)),
      versions,
    };
    yield await table(field, "steps", "a durable step of a job", { count: steps }, rounds);
    yield await takeovers(field, Math.min(kills, rounds));
    yield await idleness(field, { ms: idleMs }, Math.min(3, rounds));
    if (servers.postgres !== undefined) {
      yield await postgresStep(servers.postgres, { rounds, ...options });
      yield await scaleOut(field, { rounds });
    }
    yield* growth(field, { rounds, ...options });
  } finally {
    for (const child of field.children) child.kill("SIGKILL");
    await servers.close();
    closeScratch(folder);
  }
}

function installedPeers() {
  const [major] = process.versions.node.split(".").map(Number);
  return Object.fromEntries(
    ENGINE_PEERS.map((peer) => {
      if (major < peer.node) return [peer.folder, { failed: `it needs Node ${peer.node}` }];
      const installed = installPeer(peer);
      return [peer.folder, installed.failed === undefined ? { file: installed.file } : installed];
    }),
  );
}

function versionsOf() {
  const root = new URL("../node_modules/", import.meta.url);
  const packages = ["bullmq", "pg", "@dbos-inc/dbos-sdk", "@restatedev/restate-sdk"];
  const own = packages.map((name) => {
    const { version } = JSON.parse(readFileSync(new URL(`${name}/package.json`, root), "utf8"));
    return [name, `${name} ${version}`];
  });
  return Object.fromEntries([...own, ...ENGINE_PEERS.map(({ name, version }) => [name, `${name} ${version}`])]);
}

/** What a process of the engine is told, and the module that it loads. Every sample has a queue, a file or a schema of its own, unless one is given. */
function taskOf({ folder, servers, peers }, { module, needs }, given) {
  const name = given.name ?? `b${randomBytes(6).toString("hex")}`;
  const place = needs === "file" ? join(folder, `${name}.db`) : servers[needs];
  if (place === undefined) throw new Error(`this machine has no server for it: ${needs}`);
  const { failed, file = moduleOf(module) } = peers[module] ?? {};
  if (failed !== undefined) throw new Error(failed);
  return { task: { name, [needs]: place, ...given }, module: pathToFileURL(file).href };
}

function start(field, engine, given) {
  const { task, module } = taskOf(field, engine, given);
  const child = spawn(process.execPath, [WORKER, module, JSON.stringify(task)], { stdio: ["ignore", "pipe", "pipe"] });
  field.children.add(child);
  let errors = "";
  child.stderr.on("data", (chunk) => (errors = (errors + String(chunk)).slice(-2_000)));
  const ended = once(child, "close").then(() => {
    field.children.delete(child);
    return undefined;
  });
  const said = [];
  const listeners = new Set();
  createInterface({ input: child.stdout }).on("line", (line) => {
    // The engines also print.
    if (line.startsWith("{")) said.push(JSON.parse(line));
    for (const listener of [...listeners]) listener();
  });
  /** The first line with this key, or undefined after `ms`. */
  const hears = (key, ms) =>
    new Promise((resolve, reject) => {
      const look = () => {
        const line = said.find((each) => key in each);
        if (line !== undefined) finish(resolve, line[key]);
      };
      const finish = (settle, value) => {
        clearTimeout(timer);
        listeners.delete(look);
        settle(value);
      };
      const timer = setTimeout(() => finish(resolve, undefined), ms);
      listeners.add(look);
      ended.then(() =>
        setImmediate(() => finish(reject, new Error(errors.trim() || `it ended before it said ${key}`))),
      );
      look();
    });
  return { child, task, ended, hears };
}

async function stop({ child, ended }) {
  child.kill("SIGKILL");
  await ended;
}

async function sample(field, engine, given, key) {
  const running = start(field, engine, given);
  try {
    const value = await running.hears(key, 300_000);
    if (value === undefined) throw new Error("it took more than five minutes");
    return value;
  } finally {
    await stop(running);
  }
}

async function table(field, kind, title, given, rounds) {
  const contestants = ENGINES.filter(({ hasSteps }) => kind !== "steps" || hasSteps).map((engine) => ({
    name: engine.name,
    isOptional: true,
    sample: () => sample(field, engine, { kind, warm: 50, concurrency: PLACES, ...given }, "micros"),
  }));
  return { key: kind, title: `engines: ${title}`, unit: "µs", rows: await measure(contestants, { rounds }) };
}

/** A process that holds a job is killed. How long until another process begins the job? */
async function takeovers(field, rounds) {
  const contestants = ENGINES.map((engine) => ({
    name: engine.name,
    isOptional: true,
    sample: async () => {
      const first = start(field, engine, { kind: "hold", adds: true });
      const { task } = first;
      let second;
      try {
        await expect(first.hears("began", 60_000), "the job did not begin");
        second = start(field, engine, { kind: "hold", adds: false, name: task.name });
        await expect(second.hears("ready", 60_000), "the second process did not start");
        // It has looked for dead processes at least once.
        await new Promise((resolve) => setTimeout(resolve, 3_000));
        const killed = performance.now();
        await stop(first);
        await expect(second.hears("began", MAX_TAKEOVER_MS), `not within ${MAX_TAKEOVER_MS / 1_000} s`);
        return performance.now() - killed;
      } finally {
        await stop(first);
        if (second !== undefined) await stop(second);
      }
    },
  }));
  const title = "engines: from kill -9 to the next start of the job, by the defaults of each";
  return { key: "takeover", title, unit: "ms", rows: await measure(contestants, { rounds }) };
}

async function expect(heard, message) {
  const value = await heard;
  if (value === undefined) throw new Error(message);
  return value;
}

/** Statements are transactions of PostgreSQL and commands of Redis. */
async function idleness(field, given, rounds) {
  const rows = [];
  const of = (what) => (engine) => ({
    name: `${engine.name}: ${what.name}`,
    isOptional: true,
    sample: async () => {
      const worker = start(field, engine, { kind: "idle", concurrency: PLACES, ...given });
      try {
        await expect(worker.hears("ready", 60_000), "it did not start");
        const before = await what.count?.(field.servers);
        const cpuMs = await expect(worker.hears("cpuMs", 60_000 + given.ms), "it did not end");
        if (what.count === undefined) return cpuMs / (given.ms / 1_000);
        return ((await what.count(field.servers)) - before) / (given.ms / 1_000);
      } finally {
        await stop(worker);
      }
    },
  });
  const isOn = (place) => (engine) => engine.needs === place;
  rows.push(...ENGINES.map(of({ name: "processor time, ms" })));
  rows.push(...ENGINES.filter(isOn("postgres")).map(of({ name: "transactions", count: countTransactions })));
  rows.push(...ENGINES.filter(isOn("redis")).map(of({ name: "commands", count: countCommands })));
  return {
    key: "idle",
    title: "engines: a second of an idle worker",
    unit: "a second",
    rows: await measure(rows, { rounds }),
  };
}

async function countTransactions({ postgres }) {
  const client = new pg.Client({ connectionString: postgres });
  await client.connect();
  // A session reports its own at most once a second.
  await new Promise((resolve) => setTimeout(resolve, 1_100));
  const { rows } = await client.query(
    "SELECT xact_commit + xact_rollback AS n FROM pg_stat_database WHERE datname = 'postgres'",
  );
  await client.end();
  return Number(rows[0].n);
}

async function countCommands({ redis }) {
  const socket = createConnection(redis, "127.0.0.1");
  socket.write("INFO stats\r\n");
  let text = "";
  for await (const chunk of socket) {
    text += String(chunk);
    if (/total_commands_processed:\d+\r/.test(text)) break;
  }
  return Number(/total_commands_processed:(\d+)/.exec(text)[1]);
}
