import { describe, expect, it } from "vitest";
import { durableHosts, handClock, lease, userTurn } from "../../support/durable-host.js";
import type { SqlStore } from "../../../src/host/sql/store.js";

const hosts = durableHosts();
const DAY = 86_400_000;

async function openWithRuns() {
  const clock = handClock(10 * DAY);
  const host = await hosts.open({ ports: { now: clock.now } });
  const { runs } = host.store;
  for (const runId of ["a", "b", "c"]) await runs.create(userTurn(runId, { input: runId }));
  await runs.create(userTurn("d", { sessionKey: "ben" }));
  await runs.create(userTurn("e", { ownerNamespace: "other" }));
  await runs.update("a", { status: "completed", output: "done" }, {});
  return { clock, host, runs };
}

describe("the administration of a durable host", () => {
  it("lists runs in the order of creation, by status, namespace and session, in pages", async () => {
    const { host } = await openWithRuns();
    const ids = async (filter?: Parameters<typeof host.admin.list>[0]) =>
      (await host.admin.list(filter)).map(({ runId }) => runId).join("");
    expect(await ids()).toBe("abcde");
    expect(await ids({ status: ["queued"] })).toBe("bcde");
    expect(await ids({ status: [] })).toBe("");
    expect(await ids({ ownerNamespace: "shop" })).toBe("abcd");
    expect(await ids({ ownerNamespace: "shop", sessionKey: "ann", status: ["completed", "queued"] })).toBe("abc");
    expect(await ids({ limit: 2 })).toBe("ab");
    expect(await ids({ limit: 2, after: "b" })).toBe("cd");
  });

  it.each([
    ["an unknown status", { status: ["waiting"] }],
    ["a status without a list", { status: "queued" }],
    ["no object", null],
    ["a session without its namespace", { sessionKey: "ann" }],
    ["a page that is too long", { limit: 1_001 }],
    ["a run that is not there", { after: "nobody" }],
    ["an unknown filter", { key: "ann" }],
  ])("refuses to list %s", async (_name, filter) => {
    const { host } = await openWithRuns();
    await expect(host.admin.list(filter as never)).rejects.toMatchObject({ code: "invalid-options" });
  });

  it("counts", async () => {
    const { clock, host } = await openWithRuns();
    clock.pass(500);
    await host.store.notifications.enqueue({
      ...{ notificationId: "n", idempotencyKey: "k", ownerNamespace: "shop", sessionKey: "ann", runId: "b" },
      ...{ taskIds: [], input: null },
    });
    const stats = await host.admin.stats();
    expect(stats).toMatchObject({ oldestDueMs: 500, pendingNotifications: 1, hosts: 1 });
    expect(stats.runs).toMatchObject({ queued: 4, completed: 1, error: 0 });
    expect(stats.bytes).toBeGreaterThan(4_096);
  });

  it("finds leases that ran out", async () => {
    const { clock, host, runs } = await openWithRuns();
    expect(await host.admin.check()).toEqual([]);
    await runs.claim("b", lease("l", 1_000));
    clock.pass(1_000);
    expect(await host.admin.check()).toMatchObject([{ level: "warning", code: "expired-leases" }]);
  });

  it("prunes what ended runs stored, and keeps the ids of those with a dedupe key", async () => {
    const { clock, host, runs } = await openWithRuns();
    await runs.create(userTurn("once", { dedupeKey: "k", input: "x", sessionKey: "s" }));
    await host.store.events.append("once", [{ type: "turn-start" }], { firstOffset: 0 });
    await runs.update("once", { status: "completed", output: "y" }, {});
    await runs.create(userTurn("child", { parentRunId: "b", parentSessionKey: "ann", sessionKey: "t" }));
    await runs.update("child", { status: "completed", output: "kept" }, {});
    clock.pass(DAY);
    expect(await host.admin.prune({ olderThanMs: DAY })).toEqual({ runs: 0, events: 0 });
    clock.pass(1);
    expect(await host.admin.prune({ olderThanMs: DAY })).toEqual({ runs: 2, events: 1 });
    expect(await host.admin.prune({ olderThanMs: DAY })).toEqual({ runs: 0, events: 0 });
    expect(await runs.get("a")).toBeNull();
    const kept = await runs.create(userTurn("again", { dedupeKey: "k" }));
    expect(kept).toMatchObject({ ok: false, record: { runId: "once", status: "completed" } });
    expect(kept.record).not.toHaveProperty("output");
    // The parent is open, and may ask for it.
    expect(await runs.get("child")).toMatchObject({ output: "kept" });
    expect((await runs.get("b"))?.status).toBe("queued");
  });

  it("refuses to prune what is younger than a day", async () => {
    const { host } = await openWithRuns();
    await expect(host.admin.prune({ olderThanMs: DAY - 1 })).rejects.toMatchObject({ code: "invalid-options" });
  });
});

describe("PSS-132 PSS-133 a row that this version did not write", () => {
  it.each([
    ["an identity that is not JSON", "identity = 'no'", "identity"],
    ["an identity with an unknown id", `identity = '{"runId":"b","x":"y"}'`, "identity"],
    ["an input that is not JSON", "input = '{'", "input"],
  ])("is refused: %s", async (_name, damage, column) => {
    const { host, runs } = await openWithRuns();
    await (host.store as SqlStore).access.write((sql) => sql.run(`UPDATE runs SET ${damage} WHERE seq = 2`));
    const error = await runs.get("b").catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: "store-failed", retryable: false });
    expect(String(error)).toContain(column);
  });

  it("is refused by the table itself for an unknown status or kind", async () => {
    const { host } = await openWithRuns();
    const { access } = host.store as SqlStore;
    for (const damage of ["status = 'waiting'", "kind = 'chat'"]) {
      await expect(access.write((sql) => sql.run(`UPDATE runs SET ${damage}`))).rejects.toMatchObject({
        code: "store-failed",
      });
    }
  });
});
