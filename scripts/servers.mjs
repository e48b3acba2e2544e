// Servers for tests and benches: Debian's PostgreSQL and Redis, and the Restate that scripts/restate.mjs installs, each with a port of its
// own in a folder of the run. They end with this process, however that ends.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { Redis } from "ioredis";
import pg from "pg";
import { fileURLToPath } from "node:url";
import { freePort } from "./free-port.mjs";

const DEBIAN = "/usr/lib/postgresql";
const RESTATE = fileURLToPath(new URL("../.playhead/restate/node_modules/@restatedev/", import.meta.url));
const SETTINGS = ["max_connections=300", "log_min_messages=panic"];
/** Nothing is flushed to the disk: a crash of the process alone loses nothing. Errors come fast. */
export const UNFLUSHED = ["fsync=off", "deadlock_timeout=50ms"];

async function persist(work, child) {
  for (;;) {
    if (child.exitCode !== null) throw new Error("a server did not start");
    try {
      return await work();
    } catch {
      await sleep(50);
    }
  }
}

async function end(child, signal) {
  if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, "exit");
  child.kill(signal);
  await ended;
}

/** PostgreSQL refuses to run as root, so root lends it another user. */
function asUser() {
  const prefix = ["setpriv", "--pdeathsig", "KILL"];
  if (process.getuid?.() !== 0) return { prefix };
  const ids = ["postgres", "nobody"].map((name) => Number(spawnSync("id", ["-u", name], { encoding: "utf8" }).stdout));
  const uid = ids.find((id) => id > 0) ?? 65_534;
  return { uid, prefix: [...prefix, `--reuid=${uid}`, "--regid=nogroup", "--clear-groups"] };
}

const firstWith = (paths, file = "") => paths.find((path) => path !== undefined && existsSync(join(path, file)));

/** The folder of the newest PostgreSQL's programs. Debian has one for each version. */
function findPostgres() {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort().reverse() : [];
  const folders = versions.map((version) => join(DEBIAN, version, "bin"));
  return firstWith([process.env.PLAYHEAD_POSTGRES_BIN, ...folders], "postgres");
}

function findRedis() {
  const folders = ["/usr/bin", "/usr/local/bin", ...(process.env.PATH ?? "").split(delimiter)];
  const programs = folders.flatMap((folder) => [join(folder, "redis-server"), join(folder, "valkey-server")]);
  return firstWith([process.env.PLAYHEAD_REDIS_SERVER, ...programs]);
}

const findRestate = () =>
  firstWith([join(RESTATE, `restate-server-${process.platform}-${process.arch}/bin/restate-server`)]);

/** What this machine lacks, or undefined. */
export const missing = {
  postgres: findPostgres() ? undefined : "no PostgreSQL; Debian has the package postgresql",
  redis: findRedis() ? undefined : "no Redis; Debian has the package redis-server",
  restate: findRestate() ? undefined : "no Restate; `node scripts/restate.mjs` installs it",
};

function find(program, what) {
  if (program === undefined) throw new Error(`there is ${what}`);
  return program;
}

/** Without settings, each commit is flushed to the disk. */
export async function startPostgres(root, given = []) {
  const bin = find(findPostgres(), missing.postgres);
  const folder = join(root, "pg");
  mkdirSync(folder);
  const { uid, prefix } = asUser();
  if (uid !== undefined) {
    chmodSync(root, 0o711);
    chownSync(folder, uid, -1);
  }
  const run = (program, ...args) => [...prefix, join(bin, program), ...args];
  const [initdb, ...options] = run("initdb", "-D", join(folder, "data"), "-A", "trust", "-U", "postgres", "--no-sync");
  const made = spawnSync(initdb, [...options, "-E", "UTF8", "--locale=C"], { encoding: "utf8", cwd: folder });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const port = await freePort();
  const url = `postgres://postgres@127.0.0.1:${port}/postgres`;
  const pool = new pg.Pool({ connectionString: url, max: 2, allowExitOnIdle: true });
  // A crash of the server ends its connections.
  pool.on("error", () => undefined);
  const sql = async (text, values) => (await pool.query(text, values)).rows;
  let child;
  let schemas = 0;

  async function start() {
    const settings = [...SETTINGS, ...given].flatMap((setting) => ["-c", setting]);
    const [program, ...args] = run("postgres", "-D", join(folder, "data"), "-k", folder, "-p", String(port));
    const stdio = ["ignore", "ignore", "inherit"];
    child = spawn(program, [...args, "-h", "127.0.0.1", ...settings], { stdio, cwd: folder });
    await persist(() => sql("SELECT 1"), child);
  }

  await start();
  const [{ server_version: version }] = await sql("SHOW server_version");
  return {
    socketUrl: `postgres://postgres@localhost:${port}/postgres?host=${encodeURIComponent(folder)}`,
    ...{ url, port, sql, start, version: version.split(" ")[0], pid: () => child.pid },
    schema: () => `s${++schemas}`,
    crash: () => end(child, "SIGQUIT"),
    async stop() {
      await pool.end();
      await end(child, "SIGINT");
    },
  };
}

/** Keeps nothing: what a queue loses must not matter. */
export async function startRedis(root) {
  const program = find(findRedis(), missing.redis);
  const port = await freePort();
  let child;

  async function command(name, ...args) {
    const client = new Redis(port, "127.0.0.1", { retryStrategy: () => null, lazyConnect: true });
    client.on("error", () => undefined);
    try {
      await client.connect();
      return await client.call(name, ...args);
    } finally {
      client.disconnect();
    }
  }

  async function start() {
    const own = ["--bind", "127.0.0.1", "--port", String(port), "--dir", root, "--save", "", "--appendonly", "no"];
    const args = ["--pdeathsig", "KILL", program, ...own, "--maxmemory-policy", "noeviction"];
    child = spawn("setpriv", args, { stdio: "ignore", cwd: root });
    await persist(() => command("PING"), child);
  }

  await start();
  const version = /redis_version:(\S+)/.exec(await command("INFO", "server"))?.[1];
  return {
    ...{ url: `redis://127.0.0.1:${port}`, port, command, start, version, pid: () => child.pid },
    kill: () => end(child, "SIGKILL"),
  };
}

export async function startRestate(root) {
  const program = find(findRestate(), missing.restate);
  const [admin, ingress, node] = [await freePort(), await freePort(), await freePort()];
  const env = {
    ...{ ...process.env, DO_NOT_TRACK: "1", RESTATE_LISTEN_MODE: "tcp" },
    RESTATE_ADMIN__BIND_PORT: String(admin),
    RESTATE_INGRESS__BIND_PORT: String(ingress),
  };
  const args = ["--no-logo", "--base-dir", join(root, "restate"), "--node-name", "one", "--bind-ip", "127.0.0.1"];
  const command = ["--pdeathsig", "KILL", program, ...args, "--bind-port", String(node)];
  const places = { admin: `http://127.0.0.1:${admin}`, ingress: `http://127.0.0.1:${ingress}` };
  let child;

  async function start() {
    child = spawn("setpriv", command, { stdio: "ignore", cwd: root, env });
    await persist(async () => {
      for (const address of [`${places.admin}/health`, `${places.ingress}/restate/health`])
        if (!(await fetch(address)).ok) throw new Error("not yet");
    }, child);
  }

  await start();
  return { places, start, pid: () => child.pid, kill: () => end(child, "SIGKILL") };
}
