// The durable host compared with other engines, on real servers: the same jobs, steps and kills. Each sample is a process of its own.

import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { fileURLToPath, pathToFileURL } from "node:url";
import { postgresStep } from "./engines/postgres-step.mjs";
import { growth, scaleOut } from "./engines/growth.mjs";
import { idleness } from "./engines/idle.mjs";
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

/** The load of idle workers, each measured once. Needs /proc. */
export async function* idle({ idleMs = 20_000 } = {}) {
  const folder = openScratch("engines");
  const servers = await openServers(folder);
  const field = { folder, servers, peers: installedPeers(), children: new Set() };
  try {
    const rows = [];
    for (const engine of ENGINES) {
      const begin = () => start(field, engine, { kind: "idle", concurrency: PLACES });
      rows.push(...(await idleness(engine, servers, { ms: idleMs, begin, stop })));
    }
    const title = "engines: a second of an idle worker and its server";
    yield { key: "idle", title, unit: "a second", rows, versions: versionsOf() };
  } finally {
    for (const child of field.children) child.kill("SIGKILL");
    await servers.close();
    closeScratch(folder);
  }
}

export async function* engines({ rounds = 5, jobs = 1_000, steps = 200, kills = 3, ...options } = {}) {
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
