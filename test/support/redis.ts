// A real Redis server for tests, such as Debian's, in a folder of its own. If there is none, its tests are skipped with a message.
// With PLAYHEAD_REQUIRE_REDIS=1 they fail instead.

import { spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { afterAll, beforeAll, describe, it } from "vitest";
import { freePort } from "./free-port.js";

const programs = [
  process.env["PLAYHEAD_REDIS_SERVER"],
  ...["redis-server", "valkey-server"].flatMap((name) => [`/usr/bin/${name}`, `/usr/local/bin/${name}`]),
];
const program = programs.find((path) => path !== undefined && existsSync(path));

export interface TestRedis {
  /** The connection string. */
  readonly url: string;
  /** Runs a command, such as `FLUSHALL`. */
  command(name: string, ...args: string[]): Promise<unknown>;
  /** Kills the server, which keeps nothing. */
  kill(): Promise<void>;
  start(): Promise<void>;
}

/** `describe` for tests that need a server, which starts before them and stops after them. */
export function describeRedis(name: string, body: (redis: TestRedis) => void): void {
  if (program === undefined) {
    const what = "no Redis; Debian has the package redis-server";
    process.stderr.write(`skipped: ${name}, since there is ${what}\n`);
    describe(name, () => {
      if (process.env["PLAYHEAD_REQUIRE_REDIS"] === "1") {
        it("has its Redis", () => {
          throw new Error(`PLAYHEAD_REQUIRE_REDIS=1, and ${what}`);
        });
      } else it.skip(what, () => undefined);
    });
    return;
  }
  describe(name, () => {
    const redis = createRedis(program);
    beforeAll(() => redis.start(), 60_000);
    afterAll(() => redis.remove(), 60_000);
    body(redis);
  });
}

function createRedis(server: string): TestRedis & { remove(): Promise<void> } {
  const folder = mkdtempSync(join(tmpdir(), "redis-"));
  let port = 0;
  let child: ChildProcess | undefined;

  async function command(name: string, ...args: string[]): Promise<unknown> {
    const client = new Redis(port, "127.0.0.1", { retryStrategy: () => null, lazyConnect: true });
    client.on("error", () => undefined);
    try {
      await client.connect();
      return await client.call(name, ...args);
    } finally {
      client.disconnect();
    }
  }

  async function start(): Promise<void> {
    if (port === 0) port = await freePort();
    const settings = [
      "--bind",
      "127.0.0.1",
      "--port",
      String(port),
      "--dir",
      folder,
      "--save",
      "",
      "--appendonly",
      "no",
    ];
    // The server ends with this process, however that ends.
    const args = [
      "--pdeathsig",
      "KILL",
      server,
      ...settings,
      "--loglevel",
      "warning",
      "--maxmemory-policy",
      "noeviction",
    ];
    child = spawn("setpriv", args, { stdio: ["ignore", "ignore", "inherit"], cwd: folder });
    for (;;) {
      if (child.exitCode !== null) throw new Error("the server did not start");
      const isUp = await command("PING").then(
        () => true,
        () => false,
      );
      if (isUp) return;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  async function kill(): Promise<void> {
    const running = child;
    child = undefined;
    if (running === undefined || running.exitCode !== null || running.signalCode !== null) return;
    const ended = once(running, "exit");
    running.kill("SIGKILL");
    await ended;
  }

  return {
    get url() {
      return `redis://127.0.0.1:${port}`;
    },
    command,
    start,
    kill,
    async remove() {
      await kill();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
