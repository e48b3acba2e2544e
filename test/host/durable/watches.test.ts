import { describe, expect, it, vi } from "vitest";
import { systemPorts, toHex, type RunStatus } from "../../../src/core/index.js";
import type { DurableHost } from "../../../src/host/durable/host.js";
import type { Beat, Pulse } from "../../../src/host/durable/pulse.js";
import { createWatches } from "../../../src/host/durable/watches.js";
import { runHashOf } from "../../../src/host/sql/claims.js";
import type { Sql, SqlAccess } from "../../../src/host/sql/engine.js";
import { durableHosts, lease, userTurn } from "../../support/durable-host.js";
import { PATIENCE } from "../../support/patience.js";

const hosts = durableHosts();

function watch(host: DurableHost, runId: string) {
  const seen: RunStatus[] = [];
  return { seen, stop: host.store.runs.watch?.(runId, (status) => seen.push(status)) };
}

describe("a watch of a run", () => {
  it("PSS-96 sees each change of this host after its commit, and none that was undone", async () => {
    const host = await hosts.open();
    const { runs } = host.store;
    await runs.create(userTurn("a"));
    await runs.create(userTurn("b", { sessionKey: "ben" }));
    const { seen, stop } = watch(host, "a");
    await runs.claim("a", lease("l"));
    await runs.claim("b", lease("l"));
    await host.store
      .transaction(async (tx) => {
        await tx.runs.update("a", { status: "cancelled" }, {});
        expect(seen).toEqual(["leased"]);
        throw new Error("undo");
      })
      .catch(() => undefined);
    await runs.update("a", { output: 1 }, {});
    expect(seen).toEqual(["leased"]);
    await runs.update("a", { status: "cancelled" }, {});
    expect(seen).toEqual(["leased", "cancelled"]);
    stop?.();
    await runs.create(userTurn("c"));
    expect(seen).toEqual(["leased", "cancelled"]);
  });

  it("PSS-96 sees the change of another host of the file", async () => {
    const file = hosts.file();
    const [here, there] = [await hosts.open({}, file), await hosts.open({}, file)];
    await here.store.runs.create(userTurn("a"));
    const { seen } = watch(here, "a");
    await there.store.runs.update("a", { status: "cancelled" }, {});
    await vi.waitFor(() => expect(seen).toEqual(["cancelled"]), PATIENCE);
  });

  it("goes on when a watcher throws, and says so", async () => {
    const warnings: string[] = [];
    const host = await hosts.open({ ports: { warn: (message) => warnings.push(message) } });
    await host.store.runs.create(userTurn("a"));
    host.store.runs.watch?.("a", () => {
      throw new Error("mine");
    });
    const { seen } = watch(host, "a");
    await host.store.runs.claim("a", lease("l"));
    expect(seen).toEqual(["leased"]);
    expect(warnings.join()).toContain("mine");
  });

  it("reads once at a time when news flood in, and misses the last change of none", async () => {
    let beat: Beat = () => undefined;
    const reading = { now: 0, most: 0, times: 0 };
    let status = "queued";
    const read: SqlAccess["read"] = async (work) => {
      reading.most = Math.max(reading.most, ++reading.now);
      reading.times++;
      const all = async () => [{ run_hash: runHashOf("a"), status }];
      const result = await work({ all } as unknown as Sql);
      await new Promise((resolve) => setTimeout(resolve, 1));
      reading.now--;
      return result;
    };
    const pulse: Pulse = { listen: (given) => ((beat = given), () => undefined) };
    const watches = createWatches({ ports: systemPorts, pulse, read });
    const seen: RunStatus[] = [];
    watches.watch("a", (found) => seen.push(found));
    await vi.waitFor(() => expect(reading).toMatchObject({ now: 0, times: 1 }), PATIENCE);
    for (let news = 0; news < 500; news++) beat({ isDue: false, runs: new Set([`other ${news}`]) });
    status = "leased";
    beat({ isDue: false, runs: new Set([toHex(runHashOf("a"))]) });
    await vi.waitFor(() => expect(seen).toEqual(["leased"]), PATIENCE);
    for (let news = 0; news < 500; news++) beat({ isDue: true });
    await vi.waitFor(() => expect(reading.now).toBe(0), PATIENCE);
    expect(reading.most).toBe(1);
    expect(reading.times).toBeLessThan(10);
  });
});
