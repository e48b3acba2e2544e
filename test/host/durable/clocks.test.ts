import { afterEach, describe, expect, it, vi } from "vitest";
import { takeDue } from "../../../src/host/durable/deliver.js";
import type { SqlStore } from "../../../src/host/sql/store.js";
import { durableHosts, lease, userTurn } from "../../support/durable-host.js";

const hosts = durableHosts();
const HOUR = 3_600_000;
const real = Date.now;
const setWallClock = (byMs: number) => vi.spyOn(Date, "now").mockImplementation(() => real() + byMs);
afterEach(() => {
  vi.restoreAllMocks();
});

describe("a wall clock that is set", () => {
  it.each([
    ["ahead", HOUR],
    ["back", -HOUR],
  ])("takes no live run when it is set %s, and is found", async (_name, byMs) => {
    const host = await hosts.open();
    const { access } = host.store as SqlStore;
    await host.store.runs.create(userTurn("a"));
    await host.store.runs.claim("a", lease("l", 300_000));
    setWallClock(byMs);
    expect(await takeDue({ access, hostId: host.hostId, namespaces: ["shop"] }, 10)).toEqual([]);
    expect(await host.store.runs.claim("a", lease("thief"))).toMatchObject({ reason: "leased" });
    expect(await host.store.runs.renew("a", "l", 300_000)).toEqual({ ok: true });
    expect(await host.admin.check()).toMatchObject([{ level: "warning", code: "clock-jump" }]);
  });

  it("back reorders nothing, and what is accepted then is ready at once", async () => {
    const host = await hosts.open();
    const { runs } = host.store;
    await runs.create(userTurn("a"));
    setWallClock(-HOUR);
    const second = await runs.create(userTurn("b"));
    expect(second.record.readyAtMs).toBeGreaterThanOrEqual((await runs.get("a"))?.readyAtMs ?? Infinity);
    expect(await runs.claim("b", lease("l"))).toMatchObject({ reason: "session-busy" });
    expect(await runs.claim("a", lease("l"))).toMatchObject({ ok: true });
    await runs.update("a", { status: "completed" }, { leaseId: "l" });
    expect(await runs.claim("b", lease("l"))).toMatchObject({ ok: true });
  });
});
