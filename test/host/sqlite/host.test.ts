import { describe, expect, it } from "vitest";
import { durableHosts, handClock, lease, userTurn } from "../../support/durable-host.js";
import { BARE_CALLS } from "../../support/execution.js";

const hosts = durableHosts();

describe("a durable host on SQLite", () => {
  it("keeps sessions by version", async () => {
    const { store } = await hosts.open();
    const first = await store.sessions.commit("k", { state: { n: 1 } }, { expectedVersion: null });
    expect(first).toMatchObject({ ok: true });
    expect(await store.sessions.commit("k", { state: 2 }, { expectedVersion: null })).toEqual({
      ok: false,
      reason: "conflict",
    });
    expect(await store.sessions.load("k")).toMatchObject({ state: { n: 1 } });
  });

  it("claims the head of a session, in order", async () => {
    const clock = handClock();
    const { store } = await hosts.open({ ports: { now: clock.now } });
    await store.runs.create(userTurn("a"));
    await store.runs.create(userTurn("b"));
    expect(await store.runs.claim("b", lease("l"))).toEqual({ ok: false, reason: "session-busy" });
    expect(await store.runs.claim("a", lease("l"))).toMatchObject({
      ok: true,
      record: { status: "leased", attempt: 1, stalls: 1 },
    });
    expect(await store.runs.claim("a", lease("l2"))).toEqual({ ok: false, reason: "leased" });
    clock.pass(60_001);
    expect(await store.runs.claim("a", lease("l2"))).toMatchObject({ ok: true, record: { attempt: 2 } });
    expect(await store.runs.update("a", { status: "completed" }, { leaseId: "l" })).toMatchObject({
      ok: false,
      reason: "lost-lease",
    });
    expect(await store.runs.update("a", { status: "completed", output: 7 }, { leaseId: "l2" })).toMatchObject({
      ok: true,
      record: { output: 7 },
    });
    expect(await store.runs.claim("b", lease("l"))).toMatchObject({ ok: true });
  });

  it.each(BARE_CALLS)("PSS-109 says what a call of %s lacks", async (method, call) => {
    await expect(call(await hosts.open())).rejects.toMatchObject({
      code: "store-failed",
      message: expect.stringMatching(`^${method}\\(.*\\) was called with undefined in place of an object$`) as string,
    });
  });

  it("undoes a transaction that throws", async () => {
    const { store } = await hosts.open();
    await expect(
      store.transaction(async (tx) => {
        await tx.runs.create(userTurn("a"));
        await tx.events.append("a", [{ type: "turn-start" }], { firstOffset: 0 });
        throw new Error("no");
      }),
    ).rejects.toThrow("no");
    expect(await store.runs.get("a")).toBeNull();
  });
});
