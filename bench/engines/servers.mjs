// Servers for a benchmark, each with its own port or socket in a folder of the run: Debian's PostgreSQL and Redis, and the Restate that
// scripts/restate.mjs installs. PostgreSQL flushes each commit, as it does by default. All of them end with this process.

import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { freePort } from "../../scripts/free-port.mjs";

const DEBIAN = "/usr/lib/postgresql";
const PACKAGES = fileURLToPath(new URL("../../.playhead/restate/node_modules/@restatedev/", import.meta.url));
const RESTATE = join(PACKAGES, `restate-server-${process.platform}-${process.arch}/bin/restate-server`);

/** Each value is where its server is, or undefined if the machine does not have it. `pids` are the processes of the servers. */
export async function openServers(folder) {
  const children = [];
  const starts = { postgres: startPostgres, redis: startRedis, restate: startRestate };
  const [places, pids] = [{}, {}];
  for (const [name, start] of Object.entries(starts)) {
    places[name] = await start(folder, children);
    if (places[name] !== undefined) pids[name] = children.at(-1).pid;
  }
  return {
    ...places,
    pids,
    async close() {
      for (const child of children) {
        if (child.exitCode !== null) continue;
        const ended = once(child, "exit");
        child.kill("SIGINT");
        await ended;
      }
    },
  };
}

/** The server refuses to run as root, so root lends it the user `postgres` or `nobody`. */
function asUser() {
  const prefix = ["--pdeathsig", "KILL"];
  if (process.getuid?.() !== 0) return { prefix };
  const idOf = (name) => Number(spawnSync("id", ["-u", name], { encoding: "utf8" }).stdout);
  const uid = idOf("postgres") || idOf("nobody");
  return { prefix: [...prefix, `--reuid=${uid}`, "--regid=nogroup", "--clear-groups"], uid };
}

async function startPostgres(folder, children) {
  const [version] = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort().reverse() : [];
  if (version === undefined) return undefined;
  const bin = join(DEBIAN, version, "bin");
  const home = join(folder, "postgres");
  const data = join(home, "data");
  mkdirSync(home);
  const { prefix, uid } = asUser();
  if (uid !== undefined) {
    chmodSync(folder, 0o711);
    chownSync(home, uid, -1);
  }
  const made = spawnSync("setpriv", [...prefix, join(bin, "initdb"), "-D", data, "-A", "trust", "-U", "postgres"], {
    encoding: "utf8",
    cwd: home,
  });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  const settings = ["listen_addresses=", "max_connections=300"].flatMap((setting) => ["-c", setting]);
  const args = [...prefix, join(bin, "postgres"), "-D", data, "-k", home, ...settings];
  children.push(spawn("setpriv", args, { stdio: "ignore", cwd: home }));
  const { default: pg } = await import("pg");
  const connectionString = `postgres://postgres@localhost/postgres?host=${encodeURIComponent(home)}`;
  await until(async () => {
    const client = new pg.Client({ connectionString });
    await client.connect();
    await client.end();
  });
  return connectionString;
}

async function startRedis(folder, children) {
  const program = ["valkey-server", "redis-server"].find((name) => spawnSync(name, ["--version"]).status === 0);
  if (program === undefined) return undefined;
  const port = await freePort();
  const settings = ["--port", String(port), "--bind", "127.0.0.1", "--appendonly", "no", "--save", ""];
  const args = ["--pdeathsig", "KILL", program, ...settings, "--maxmemory-policy", "noeviction"];
  children.push(spawn("setpriv", args, { stdio: "ignore", cwd: folder }));
  return port;
}

async function startRestate(folder, children) {
  if (!existsSync(RESTATE)) return undefined;
  const [admin, ingress, node] = [await freePort(), await freePort(), await freePort()];
  const env = {
    ...process.env,
    DO_NOT_TRACK: "1",
    RESTATE_LISTEN_MODE: "tcp",
    RESTATE_ADMIN__BIND_PORT: String(admin),
    RESTATE_INGRESS__BIND_PORT: String(ingress),
  };
  const args = ["--no-logo", "--base-dir", join(folder, "restate"), "--node-name", "bench", "--bind-ip", "127.0.0.1"];
  const command = ["--pdeathsig", "KILL", RESTATE, ...args, "--bind-port", String(node)];
  children.push(spawn("setpriv", command, { stdio: "ignore", cwd: folder, env }));
  const places = { admin: `http://127.0.0.1:${admin}`, ingress: `http://127.0.0.1:${ingress}` };
  await until(async () => {
    for (const address of [`${places.admin}/health`, `${places.ingress}/restate/health`])
      if (!(await fetch(address)).ok) throw new Error("not yet");
  });
  return places;
}

async function until(isUp) {
  for (const end = Date.now() + 60_000; ;) {
    try {
      return await isUp();
    } catch (error) {
      if (Date.now() > end) throw error;
    }
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
