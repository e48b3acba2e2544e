import { describe, expect, it } from "vitest";
import { createInMemoryRuntimeMemory } from "../../../src/core/memory/memory.js";
import { openRunScope } from "../../../src/core/memory/run-memory.js";
import type { MemoryScope } from "../../../src/core/model/memory.js";
import { gate } from "../../support/loop.js";
import { watchedMemory } from "../../support/memories.js";
import { rejection } from "../../support/refusal.js";

const calm = new AbortController().signal;

describe("a run's hold on a store", () => {
  it("PLK-95 gives each agent a scope of its own, all agents of a run one, and all runs one", async () => {
    const store = createInMemoryRuntimeMemory();
    const [one, two] = [openRunScope(store, "1"), openRunScope(store, "2")];
    for (const scope of ["agent", "shared", "global"] as const) await one.viewOf("ann").set(scope, "k", scope);
    const read = async (run: typeof one, agentId: string) =>
      Promise.all((["agent", "shared", "global"] as const).map((scope) => run.viewOf(agentId).get(scope, "k")));
    expect(await read(one, "ann")).toEqual(["agent", "shared", "global"]);
    expect(await read(one, "bob")).toEqual([undefined, "shared", "global"]);
    expect(await read(two, "ann")).toEqual(["agent", undefined, "global"]);
    expect(store.get("agent:ann", "k")).toBe("agent");
  });

  it("PLK-95 forgets at its end what was shared, and nothing else", async () => {
    const store = createInMemoryRuntimeMemory();
    const run = openRunScope(store, "1");
    const view = run.viewOf("ann");
    for (const scope of ["agent", "shared", "global"] as const) await view.set(scope, "k", scope);
    expect(await run.readShared(calm)).toEqual({ k: "shared" });
    await run.forget();
    expect([store.keys("shared:1"), store.keys("agent:ann"), store.keys("global")]).toEqual([[], ["k"], ["k"]]);
    expect(await rejection(view.set("shared", "k", 1))).toMatchObject({ code: "aborted" });
    expect(await rejection(view.get("shared", "k"))).toMatchObject({ code: "aborted" });
    expect(await view.get("global", "k")).toBe("global");
  });

  it("lets no write that is on its way land behind its end", async () => {
    const late = gate();
    const store = createInMemoryRuntimeMemory();
    const slow = watchedMemory((method) => (method === "set" ? late.opened : undefined), store);
    const run = openRunScope(slow, "1");
    const write = run.viewOf("ann").set("shared", "k", 1);
    const forgotten = run.forget();
    late.open();
    await Promise.all([write, forgotten]);
    expect(store.keys("shared:1")).toEqual([]);
  });

  it("forgets though a write on its way fails, and tells the writer", async () => {
    const run = openRunScope(
      watchedMemory((method) => (method === "set" ? Promise.reject(new Error("disk")) : undefined)),
      "1",
    );
    const write = rejection(run.viewOf("ann").set("shared", "k", 1));
    await run.forget();
    expect(await write).toMatchObject({ message: "disk" });
  });

  it("reads keys that objects have by nature as what they are", async () => {
    const run = openRunScope(createInMemoryRuntimeMemory(), "1");
    for (const key of ["__proto__", "constructor"]) await run.viewOf("a").set("shared", key, 1);
    expect(JSON.stringify(await run.readShared(calm))).toBe('{"__proto__":1,"constructor":1}');
  });

  it.each(["toString", "__proto__", "shared:1", undefined, null])("has no scope %s", async (scope) => {
    const view = openRunScope(createInMemoryRuntimeMemory(), "1").viewOf("ann");
    expect(await rejection(view.get(scope as MemoryScope, "k"))).toMatchObject({ code: "invalid-options" });
    expect(await rejection(view.set(scope as MemoryScope, "k", 1))).toMatchObject({ code: "invalid-options" });
  });

  it.each([undefined, 1, {}, "\ud83d"])("takes no key %s", async (key) => {
    const view = openRunScope(createInMemoryRuntimeMemory(), "1").viewOf("ann");
    expect(await rejection(view.set("agent", key as string, 1))).toMatchObject({ code: "invalid-options" });
    expect(await rejection(view.delete("agent", key as string))).toMatchObject({ code: "invalid-options" });
  });

  it("deletes and lists through a view", async () => {
    const view = openRunScope(createInMemoryRuntimeMemory(), "1").viewOf("ann");
    await view.set("shared", "b", 1);
    await view.set("shared", "a", 1);
    expect(await view.keys("shared")).toEqual(["a", "b"]);
    expect([await view.delete("shared", "a"), await view.delete("shared", "a")]).toEqual([true, false]);
  });
});
