// Lost connections, a server that crashes, and clocks that are wrong.

import { expect, it, vi } from "vitest";
import type { DurableHost } from "../../../../src/host/durable/host.js";
import { lease, userTurn } from "../../../support/durable-host.js";
import { PATIENCE } from "../../../support/patience.js";
import { postgresHosts } from "../../../support/postgres-host.js";
import { describePostgres, type TestServer } from "../../../support/servers.js";

const HOUR = 3_600_000;

/** Ends the connections of hosts, as a network or an administrator may. */
const cutAll = (server: TestServer) =>
  server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'playhead'");

/** Claims and ends the runs that its worker is given. */
function endAll(host: DurableHost, ended: string[]): void {
  host.work({
    namespaces: ["shop"],
    deliver: async (runId) => {
      const claimed = await host.store.runs.claim(runId, lease(`of ${runId}`, 3_000));
      if (!claimed.ok) return { kind: "skipped" };
      const result = await host.store.runs.update(runId, { status: "completed" }, { leaseId: `of ${runId}` });
      if (result.ok) ended.push(runId);
      return { kind: "done" };
    },
  });
}

/** Tries again while the failure is one that may pass. */
async function persist<T>(work: () => Promise<T>): Promise<T> {
  for (;;) {
    try {
      return await work();
    } catch (error) {
      expect(error).toMatchObject({ code: "store-failed", retryable: true });
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  }
}

describePostgres("PSS-145 a host on PostgreSQL", (server) => {
  const hosts = postgresHosts(server);
  const ports = { warn: () => undefined };

  it("outlives the loss of all its connections, also within a transaction", { timeout: 120_000 }, async () => {
    const host = await hosts.open({ ports });
    const { runs } = host.store;
    await runs.create(userTurn("a"));
    const cut = host.store.transaction(async (tx) => {
      await tx.runs.create(userTurn("b"));
      await cutAll(server);
      await tx.runs.create(userTurn("c"));
    });
    await expect(cut).rejects.toMatchObject({ code: "store-failed", retryable: true });
    expect(await persist(() => runs.get("b"))).toBeNull();
    expect(await persist(() => runs.create(userTurn("d")))).toMatchObject({ ok: true });
    // The life lock is taken again.
    await vi.waitFor(async () => {
      expect((await persist(() => host.admin.check())).map(({ code }) => code)).not.toContain("no-life-lock");
    }, PATIENCE);
    expect((await host.admin.stats()).hosts).toBe(1);
  });

  it("goes on where a crash of the server stopped it, and loses nothing", { timeout: 240_000 }, async () => {
    const schema = server.schema();
    const [giver, taker] = [await hosts.open({ ports }, schema), await hosts.open({ ports }, schema)];
    const ended: string[] = [];
    endAll(taker, ended);
    const ids = Array.from({ length: 60 }, (_, index) => `r${index}`);
    const given = (async () => {
      for (const [index, runId] of ids.entries())
        await persist(() => giver.store.runs.create(userTurn(runId, { sessionKey: `s${index % 7}` })));
    })();
    for (let crash = 0; crash < 2; crash++) {
      await vi.waitFor(() => expect(ended.length).toBeGreaterThan(10 * (crash + 1)), PATIENCE);
      await server.crash();
      await server.start();
    }
    await given;
    await vi.waitFor(async () => {
      expect((await persist(() => giver.admin.stats())).runs).toMatchObject({ queued: 0, leased: 0, completed: 60 });
    }, PATIENCE);
    // The answer of a commit may be lost, but no run ends twice.
    expect(new Set(ended).size).toBe(ended.length);
  });

  it("runs a transaction again that met a deadlock", async () => {
    const { store } = await hosts.open();
    const both = ["one", "two"];
    let attempts = 0;
    const write = (keys: readonly string[]) =>
      store.transaction(async (tx) => {
        attempts += 1;
        for (const key of keys) {
          const there = await tx.sessions.load(key);
          const state = Number(there?.state ?? 0) + 1;
          await tx.sessions.commit(key, { state }, { expectedVersion: there?.version ?? null });
          await new Promise((resolve) => setTimeout(resolve, 30));
        }
      });
    for (let round = 0; attempts === 2 * round; round++) await Promise.all([write(both), write([...both].reverse())]);
    expect((await store.sessions.load("one"))?.state).toBe((await store.sessions.load("two"))?.state);
  });

  it("gives up a transaction whose process asks for nothing more", async () => {
    const schema = server.schema();
    const [host, other] = [await hosts.open({}, schema), await hosts.open({}, schema)];
    await host.store.runs.create(userTurn("a"));
    const idle = () =>
      server.sql(
        "SELECT count(*)::int AS idle FROM pg_stat_activity WHERE state = 'idle in transaction' AND application_name = 'playhead'",
      );
    await host.store.transaction(async (tx) => {
      await tx.runs.get("a");
      // The pulse of a host may be between two statements, too.
      await vi.waitFor(async () => expect(await idle()).toEqual([{ idle: 1 }]), { timeout: 10_000, interval: 20 });
    });
    expect(await other.store.runs.claim("a", lease("l"))).toMatchObject({ ok: true });
  });

  it.each([HOUR, -HOUR])("takes no live run if the clock of a client is wrong by %d ms", async (wrongMs) => {
    const schema = server.schema();
    const right = await hosts.open({}, schema);
    await right.store.runs.create(userTurn("a"));
    await right.store.runs.claim("a", lease("l", 300_000));
    const wrong = await hosts.open({ ports: { now: () => Date.now() + wrongMs } }, schema);
    const delivered: string[] = [];
    wrong.work({
      namespaces: ["shop"],
      deliver: async (runId) => {
        delivered.push(runId);
        return { kind: "skipped" };
      },
    });
    expect(await wrong.store.runs.claim("a", lease("thief"))).toMatchObject({ reason: "leased" });
    // Its worker is at work, and is given what is free.
    await right.store.runs.create(userTurn("b", { sessionKey: "ben" }));
    await vi.waitFor(() => expect(delivered).toContain("b"), PATIENCE);
    expect(delivered).not.toContain("a");
    expect(await right.store.runs.update("a", { status: "completed" }, { leaseId: "l" })).toMatchObject({ ok: true });
  });

  it("says when the clock of the server jumps, and a late holder writes nothing", async () => {
    const host = await hosts.open();
    const { runs } = host.store;
    await runs.create(userTurn("a"));
    await runs.claim("a", lease("l", 300_000));
    await hosts.pass(HOUR);
    expect((await host.admin.check()).map(({ code }) => code)).toContain("clock-jump");
    expect(await runs.claim("a", lease("next", 300_000))).toMatchObject({ ok: true });
    expect(await runs.update("a", { status: "completed" }, { leaseId: "l" })).toMatchObject({ reason: "lost-lease" });
  });

  it("wakes the worker of another host, and its watchers", async () => {
    const schema = server.schema();
    const [giver, taker] = [await hosts.open({}, schema), await hosts.open({}, schema)];
    const ended: string[] = [];
    endAll(taker, ended);
    const seen: string[] = [];
    await giver.store.runs.create(userTurn("a"));
    giver.store.runs.watch?.("a", (status) => seen.push(status));
    await vi.waitFor(() => expect(ended).toEqual(["a"]), PATIENCE);
    await vi.waitFor(() => expect(seen).toContain("completed"), PATIENCE);
  });
});
