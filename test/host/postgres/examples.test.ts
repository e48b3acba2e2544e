// The programs of examples/durable that docs/host.md shows, run as separate processes on a real server.

import { execFile, spawn, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterEach, expect, it, vi } from "vitest";
import type { CustomToolContext } from "../../../src/core/index.js";
import { assertBuilt, repositoryRoot } from "../../support/built.js";
import { postgresHosts } from "../../support/postgres-host.js";
import { describePostgres, describeRedis } from "../../support/servers.js";
import { readSnippets } from "../../support/snippets.js";

const EXAMPLES = join(repositoryRoot, "examples/durable");

it("docs/host.md shows the programs of examples/durable as they are", () => {
  const shown = readSnippets("docs/host.md").map(({ code }) => code);
  for (const name of ["machine.mjs", "transfer.mjs", "queue.mjs", "fleet.mjs"])
    expect(shown).toContain(readFileSync(join(EXAMPLES, name), "utf8"));
});

const children: ChildProcess[] = [];
afterEach(async () => {
  for (const child of children.splice(0)) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    child.kill("SIGKILL");
    await once(child, "close");
  }
});

describePostgres("examples/durable", (server) => {
  const hosts = postgresHosts(server);
  const start = (program: string, redisUrl = "") => {
    assertBuilt();
    const env = { ...process.env, DATABASE_URL: server.url, REDIS_URL: redisUrl };
    const child = spawn(process.execPath, [join(EXAMPLES, program)], { stdio: "inherit", env });
    children.push(child);
    return child;
  };

  /** Two processes of a program that give the answers of 24 runs, though one is killed. */
  async function assertTakeover(program: string, redisUrl?: string): Promise<void> {
    await server.sql("DROP SCHEMA IF EXISTS playhead CASCADE");
    const host = await hosts.open({}, "playhead");
    const [first, second] = [start(program, redisUrl), start(program, redisUrl)];
    await vi.waitFor(async () => expect((await host.admin.stats()).hosts).toBe(3), { timeout: 60_000, interval: 100 });
    for (let index = 0; index < 24; index++) {
      const runId = `run-${index}`;
      const input = { type: "user-text", text: `question ${index}` };
      const session = { ownerNamespace: "agent:support", sessionKey: `s${index % 8}` };
      await host.store.runs.create({ runId, kind: "user-turn", rootRunId: runId, input, ...session });
      await host.store.events.append(runId, [input as never], { firstOffset: 0 });
      if (index === 12) first.kill("SIGKILL");
    }
    await vi.waitFor(
      async () => expect((await host.admin.stats()).runs).toMatchObject({ queued: 0, leased: 0, completed: 24 }),
      { timeout: 120_000, interval: 100 },
    );
    const closed = once(second, "close");
    second.kill("SIGTERM");
    expect((await closed)[0]).toBe(0);
    expect((await host.admin.stats()).hosts).toBe(1);
  }

  it("PSS-49 shows workers that take over from each other and stop in order", { timeout: 240_000 }, () =>
    assertTakeover("machine.mjs"),
  );

  describeRedis("with Redis", (redis) => {
    it("shows the same through BullMQ", { timeout: 240_000 }, () => assertTakeover("queue.mjs", redis.url));
  });

  it("shows machines that share a fleet", { timeout: 120_000 }, async () => {
    assertBuilt();
    const env = { ...process.env, DATABASE_URL: server.url };
    const run = promisify(execFile);
    const machines = [0, 1].map(() => run(process.execPath, [join(EXAMPLES, "fleet.mjs")], { env }));
    const [first, second] = await Promise.all(machines);
    expect(first?.stdout).toContain("6 of 6 done\nann oslo done");
    expect(second?.stdout).toBe(first?.stdout);
  });

  it("shows a tool whose effect happens once", async () => {
    await hosts.open({}, "playhead");
    await server.sql(
      "CREATE TABLE accounts (name TEXT, cents INT); INSERT INTO accounts VALUES ('ann', 9), ('ben', 0)",
    );
    vi.stubEnv("DATABASE_URL", server.url);
    const { transfer } = (await import(join(EXAMPLES, "transfer.mjs"))) as {
      transfer: { invoke(args: object, context: CustomToolContext): Promise<unknown> };
    };
    vi.unstubAllEnvs();
    const context = { idempotencyKey: "run:call", toolCallId: "call", signal: new AbortController().signal };
    for (let time = 0; time < 2; time++)
      await transfer.invoke({ from: "ann", to: "ben", cents: 5 }, context as CustomToolContext);
    expect(await server.sql("SELECT cents FROM accounts ORDER BY name")).toEqual([{ cents: 4 }, { cents: 5 }]);
  });
});
