// What a run keeps in the memory, and what it does when the memory fails it.

import { expect, it } from "vitest";
import { createInMemoryRuntimeMemory } from "../../../src/core/memory/memory.js";
import type { RuntimeMemory } from "../../../src/core/model/memory.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import type { Plan } from "../../../src/core/runtime/plan.js";
import { agent, runtime } from "../../support/agents.js";
import { watchedMemory } from "../../support/memories.js";
import { speaker } from "../../support/plans.js";
import { refusal, rejection } from "../../support/refusal.js";
import { ask, quietPorts, say, tool } from "../../support/script.js";

const plan: Plan = { entry: "a", edges: [{ from: "a", to: "b" }], exits: ["b"] };

it("PLK-96 writes each agent's final answer to the shared scope, where the next agent's tools find it", async () => {
  const seen: unknown[] = [];
  const peek = tool("peek", async (_args, { memory }) => void seen.push(await memory.get("shared", "agent:a:answer")));
  const b = agent(scriptedProvider([ask([{ name: "peek" }]), say("two")]), { id: "b", customTools: [peek] });
  const result = await runtime([speaker("a", ["one"]), b]).run({ goal: "g", plan });
  expect(seen).toEqual(["one"]);
  expect(result.shared).toEqual({ "agent:a:answer": "one", "agent:b:answer": "two" });
});

it("PLK-96 keeps the last answer of an agent that is entered again", async () => {
  const loop: Plan = { ...plan, edges: [...plan.edges, { from: "b", to: "a" }], exits: [] };
  const { shared } = await runtime([speaker("a", ["1", "2"]), speaker("b", ["1", "2"])], { maxAgentVisits: 2 }).run({
    goal: "g",
    plan: loop,
  });
  expect(shared).toEqual({ "agent:a:answer": "2", "agent:b:answer": "2" });
});

it("PLK-95 PLK-13 gives tools and verbs the scopes of the store it was handed, of which the shared one ends with the run", async () => {
  const memory = createInMemoryRuntimeMemory();
  const note = tool("note", async (_args, { memory: own }) => {
    const runs = Number((await own.get("global", "runs")) ?? 0) + 1;
    await own.set("global", "runs", runs);
    await own.set("agent", "scratch", runs);
    await own.set("shared", "now", runs);
    return [await own.keys("shared"), runs];
  });
  const steps = [ask([{ name: "note" }]), say("x"), ask([{ name: "note" }]), say("y")];
  const one = runtime([agent(scriptedProvider(steps), { customTools: [note] })], { memory });
  expect((await one.run({ goal: "g" })).shared).toEqual({ now: 1, "agent:ann:answer": "x" });
  const second = await one.run({ goal: "g" });
  expect(second.shared).toEqual({ now: 2, "agent:ann:answer": "y" });
  expect(second.messages.at(-2)?.content).toBe('[["now"],2]');
  expect([
    memory.get("global", "runs"),
    memory.get("agent:ann", "scratch"),
    memory.keys(`shared:${second.runId}`),
  ]).toEqual([2, 2, []]);
});

it("PLK-95 forgets what was shared when a run fails as well", async () => {
  const scopes: string[] = [];
  const memory = watchedMemory((method, scope) => void scopes.push(`${method} ${scope.slice(0, 7)}`));
  const failing = agent({ turn: () => Promise.reject(new Error("down")) }, { id: "b" });
  await rejection(runtime([speaker("a", ["1"]), failing], { memory }).run({ goal: "g", plan }));
  expect(scopes).toEqual(["set shared:", "clear shared:"]);
});

it.each(["set", "keys", "get", "clear"])(
  "rejects with memory-failed when the memory's %s throws, and keeps the cause",
  async (method) => {
    const cause = new Error("disk full");
    const heard: string[] = [];
    const ports = quietPorts();
    const memory = watchedMemory((asked) => {
      if (asked === method) throw cause;
    });
    const one = runtime([speaker("a", ["1"])], { memory, ports, onEvent: ({ type }) => void heard.push(type) });
    const error = await rejection(one.run({ goal: "g" }));
    expect(error).toMatchObject({ code: "memory-failed", cause });
    expect((error as Error).message).toContain("disk full");
    expect(heard.at(-1)).toBe("run-end");
    expect(ports.warnings).toEqual([]);
  },
);

it("says by the store's own hint what to do when it is full", async () => {
  const memory = createInMemoryRuntimeMemory({ maxKeys: 0 });
  const error = await rejection(runtime([speaker("a", ["1"])], { memory }).run({ goal: "g" }));
  expect(error).toMatchObject({ code: "memory-failed", hint: expect.stringContaining("store of your own") as string });
  expect((error as Error).message).toContain("maxKeys");
});

it("rejects with what the run failed with, not with what the memory failed with after it, which is a warning", async () => {
  const ports = quietPorts();
  const memory = watchedMemory((method) => {
    if (method === "clear") throw new Error("gone");
  });
  const down = new Error("down");
  const one = runtime([agent({ turn: () => Promise.reject(down) })], { memory, ports });
  expect(await rejection(one.run({ goal: "g" }))).toBe(down);
  expect(ports.warnings).toEqual([expect.stringContaining("gone")]);
});

it("answers a failing memory to the tool that used it", async () => {
  const memory = watchedMemory((method, scope) => {
    if (method === "set" && scope === "global") throw new Error("read-only");
  });
  const note = tool("note", (_args, { memory: own }) => own.set("global", "k", 1));
  const one = runtime([agent(scriptedProvider([ask([{ name: "note" }]), say("x")]), { customTools: [note] })], {
    memory,
  });
  expect((await one.run({ goal: "g" })).messages.at(-2)).toMatchObject({ content: "read-only", isError: true });
});

it.each([null, {}, { ...createInMemoryRuntimeMemory(), clear: 1 }])(
  "refuses a value that is not a memory",
  (memory) => {
    expect(refusal(() => runtime([speaker("a", [])], { memory: memory as RuntimeMemory }))).toMatchObject({
      code: "invalid-options",
      message: expect.stringContaining("clear") as string,
    });
  },
);
