import { describe, expect, it } from "vitest";
import { createInMemoryRuntimeMemory } from "../../../src/core/memory/memory.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { createPluck, type PluckOptions } from "../../../src/core/runtime/pluck.js";
import { VERB_NAMES, type VerbContext } from "../../../src/core/tools/verbs.js";
import { agent } from "../../support/agents.js";
import { speaker } from "../../support/plans.js";
import { refusal, rejection } from "../../support/refusal.js";
import { ask, quietPorts, say, tool } from "../../support/script.js";
import { verbBodies, type VerbUse } from "../../support/verbs.js";

describe("createPluck", () => {
  it("PLK-13 PLK-01 makes an instance whose runtimes use its verbs, memory and ports", async () => {
    const used: VerbUse[] = [];
    const memory = createInMemoryRuntimeMemory();
    const pluck = createPluck({ verbs: verbBodies((use) => used.push(use)), memory, ports: quietPorts() });
    const note = tool("note", async (_args, context) => {
      await context.memory.set("global", "k", (await context.pluck.act({ uri: "u" })) as string);
    });
    const provider = scriptedProvider([ask([{ name: "note" }, { name: "probe", arguments: { uri: "v" } }]), say("x")]);
    const result = await pluck.runtime({ agents: [agent(provider, { customTools: [note] })] }).run({ goal: "g" });
    expect(result.finalAnswer).toBe("x");
    expect(used.map(({ verb, agentId }) => `${agentId} ${verb}`).sort()).toEqual(["ann act", "ann probe"]);
    expect(memory.get("global", "k")).toBe("act was here");
    expect(result.events[0]?.at).toBeLessThan(2_000);
  });

  it("PLK-13 passes the options of a runtime on, and lets them win over the instance's", async () => {
    const pluck = createPluck({ verbs: verbBodies(), memory: createInMemoryRuntimeMemory({ maxKeys: 0 }) });
    const loop = { entry: "a", edges: [{ from: "a", to: "a" }], exits: [] };
    const one = pluck.runtime({
      agents: [speaker("a", ["1", "2"])],
      memory: createInMemoryRuntimeMemory(),
      maxAgentVisits: 2,
    });
    expect((await one.run({ goal: "g", plan: loop })).visits).toHaveLength(2);
    const full = pluck.runtime({ agents: [speaker("a", ["1"])] });
    expect(await rejection(full.run({ goal: "g" }))).toMatchObject({ code: "memory-failed" });
    expect(refusal(() => pluck.runtime({ agents: [] }))).toMatchObject({ code: "invalid-options" });
  });

  it("PLK-11 gives each runtime a memory of its own unless the instance was given one", async () => {
    const pluck = createPluck();
    const count = tool("count", async (_args, { memory }) => {
      await memory.set("global", "n", Number((await memory.get("global", "n")) ?? 0) + 1);
      return memory.get("global", "n");
    });
    const run = () =>
      pluck
        .runtime({ agents: [agent(scriptedProvider([ask([{ name: "count" }]), say("x")]), { customTools: [count] })] })
        .run({ goal: "g" });
    const results = [await run(), await run()];
    expect(results.map(({ messages }) => messages.at(-2)?.content)).toEqual(["1", "1"]);
  });

  it("is itself the eight verbs, for code outside any run", async () => {
    const seen: VerbContext[] = [];
    const bodies = { ...verbBodies(), sense: (_args: object, context: VerbContext) => seen.push(context) };
    const pluck = createPluck({ verbs: bodies });
    expect(Object.keys(pluck).sort()).toEqual([...VERB_NAMES, "runtime"].sort());
    const { extract, sense } = pluck;
    expect(await extract({ uri: "u" })).toBe("extract was here");
    await sense({ uri: "u" });
    expect(seen[0]).toMatchObject({ agentId: "", signal: { aborted: false } });
    await seen[0]?.memory.set("agent", "k", 1);
    expect([await seen[0]?.memory.get("agent", "k"), await seen[0]?.memory.keys("shared")]).toEqual([1, []]);
  });

  it("starts no verb once its signal has fired", async () => {
    const used: VerbUse[] = [];
    const pluck = createPluck({ verbs: verbBodies((use) => used.push(use)) });
    expect(await rejection(pluck.act({ uri: "u" }, { signal: AbortSignal.abort("no") }))).toMatchObject({
      code: "aborted",
    });
    expect(used).toEqual([]);
  });

  it("says which verb has no body", async () => {
    expect(await rejection(createPluck().probe({ uri: "u" }))).toMatchObject({
      code: "capability-missing",
      hint: expect.stringContaining("createPluck") as string,
    });
  });

  it("refuses an option nobody reads, of its own and of a verb", async () => {
    expect(refusal(() => createPluck({ verb: {} } as PluckOptions))).toMatchObject({ code: "invalid-options" });
    expect(await rejection(createPluck().probe({}, { singal: 1 } as object))).toMatchObject({
      code: "invalid-options",
    });
  });
});
