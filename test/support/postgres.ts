// A real PostgreSQL server for tests, such as Debian's, in a folder of its own. If there is none, its tests are skipped with a message.
// With PLAYHEAD_REQUIRE_POSTGRES=1 they fail instead.

import { spawn, spawnSync, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import pg from "pg";
import { afterAll, beforeAll, describe, it } from "vitest";

/** Debian keeps the programs of each version in a folder of its own. */
const DEBIAN = "/usr/lib/postgresql";
const folders = [
  process.env["PLAYHEAD_POSTGRES_BIN"],
  ...(existsSync(DEBIAN) ? readdirSync(DEBIAN).map((version) => `${DEBIAN}/${version}/bin`) : []),
];
const bin = folders.find((folder) => folder !== undefined && existsSync(join(folder, "postgres")));

export interface TestServer {
  /** The connection string. */
  readonly url: string;
  /** Runs SQL as the superuser. */
  sql(text: string, values?: unknown[]): Promise<Record<string, unknown>[]>;
  /** A schema name that no other test uses. */
  schema(): string;
  /** Stops the server at once, as if the machine had failed. */
  crash(): Promise<void>;
  start(): Promise<void>;
}

/** Settings of a test: errors come fast, and nothing is flushed to the disk. A crash of the process alone loses nothing. */
const SETTINGS = [
  ...["fsync=off", "deadlock_timeout=50ms", "max_connections=200", "listen_addresses=", "log_min_messages=panic"],
  ...["restart_after_crash=on", "autovacuum_naptime=5s"],
];

/** `describe` for tests that need a server, which starts before them and stops after them. */
export function describePostgres(
  name: string,
  body: (server: TestServer) => void,
  settings: readonly string[] = [],
): void {
  if (bin === undefined) {
    const what = "no PostgreSQL; Debian has the package postgresql";
    process.stderr.write(`skipped: ${name}, since there is ${what}\n`);
    describe(name, () => {
      if (process.env["PLAYHEAD_REQUIRE_POSTGRES"] === "1") {
        it("has its PostgreSQL", () => {
          throw new Error(`PLAYHEAD_REQUIRE_POSTGRES=1, and ${what}`);
        });
      } else it.skip(what, () => undefined);
    });
    return;
  }
  describe(name, () => {
    const server = createServer([...SETTINGS, ...settings]);
    beforeAll(() => server.start(), 120_000);
    afterAll(() => server.remove(), 120_000);
    body(server);
  });
}

/** The server refuses to run as root, so root lends it the user `postgres` or `nobody`. */
function asUser(): { readonly prefix: readonly string[]; readonly uid: number | undefined } {
  // The server ends with this process, however that ends.
  const prefix = ["setpriv", "--pdeathsig", "KILL"];
  if (process.getuid?.() !== 0) return { prefix, uid: undefined };
  const [user, uid] = ["postgres", "nobody"]
    .map((name) => [name, Number(spawnSync("id", ["-u", name], { encoding: "utf8" }).stdout)] as const)
    .find(([, id]) => id > 0) ?? ["nobody", 65_534];
  return { prefix: [...prefix, `--reuid=${user}`, "--regid=nogroup", "--clear-groups"], uid };
}

function createServer(settings: readonly string[]): TestServer & { remove(): Promise<void> } {
  let folder = "";
  let child: ChildProcess | undefined;
  let pool: pg.Pool | undefined;
  let schemas = 0;

  const run = (program: string, ...args: string[]) => {
    const { prefix } = asUser();
    return [...prefix, join(bin as string, program), ...args] as [string, ...string[]];
  };

  async function create(): Promise<void> {
    // The user of the server must be able to reach its folder.
    chmodSync(tmpdir(), 0o711);
    folder = mkdtempSync(join(tmpdir(), "pg-"));
    const { uid } = asUser();
    if (uid !== undefined) chownSync(folder, uid, -1);
    const [program, ...args] = run(
      "initdb",
      "-D",
      join(folder, "data"),
      "-A",
      "trust",
      "-U",
      "postgres",
      "--no-sync",
      "-E",
      "UTF8",
      "--locale=C",
    );
    const made = spawnSync(program, args, { encoding: "utf8", cwd: folder });
    if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr}`);
  }

  async function start(): Promise<void> {
    if (folder === "") await create();
    const options = settings.flatMap((setting) => ["-c", setting]);
    const [program, ...args] = run("postgres", "-D", join(folder, "data"), "-k", folder, ...options);
    child = spawn(program, args, { stdio: ["ignore", "inherit", "inherit"], cwd: folder });
    for (;;) {
      if (child.exitCode !== null) throw new Error("the server did not start");
      const isUp = await query("SELECT 1").then(
        () => true,
        () => false,
      );
      if (isUp) return;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async function stop(signal: "SIGINT" | "SIGQUIT"): Promise<void> {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, "exit");
    running.kill(signal);
    await ended;
  }

  async function query(text: string, values?: unknown[]): Promise<Record<string, unknown>[]> {
    if (pool === undefined) {
      pool = new pg.Pool({ connectionString: server.url, max: 2 });
      pool.on("error", () => undefined);
    }
    return ((await pool.query(text, values)) as { rows: Record<string, unknown>[] }).rows;
  }

  const server = {
    get url() {
      return `postgres://postgres@localhost/postgres?host=${encodeURIComponent(folder)}`;
    },
    sql: query,
    schema: () => `s${++schemas}`,
    start,
    crash: () => stop("SIGQUIT"),
    async remove() {
      await pool?.end();
      await stop("SIGINT");
      rmSync(folder, { recursive: true, force: true });
    },
  };
  return server;
}
