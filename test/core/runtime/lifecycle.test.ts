// From the first run to destroy.

import { expect, it } from "vitest";
import type { AgentEvent } from "../../../src/core/events/event.js";
import { MEMORY_GRACE_MS, MEMORY_TIMEOUT_MS } from "../../../src/core/limits.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { agent, runtime } from "../../support/agents.js";
import { watchedMemory } from "../../support/memories.js";
import { rejection } from "../../support/refusal.js";
import { ask, quietPorts, say, tool } from "../../support/script.js";

it("PLK-98 tells the listener of a provider whose destroy fails, in the name of no run", async () => {
  const heard: AgentEvent[] = [];
  const broken = {
    ...scriptedProvider([say("x")]),
    name: "openai:gpt",
    destroy: () => Promise.reject(new Error("busy")),
  };
  const agents = [agent(scriptedProvider([])), agent(broken, { id: "bob" }), agent(broken, { id: "cal" })];
  const one = runtime(agents, { onEvent: (event) => void heard.push(event) });
  await one.destroy();
  expect(heard).toMatchObject([
    {
      type: "provider-destroy-failed",
      provider: "openai:gpt",
      message: "busy",
      runId: "",
      agentId: "bob",
      turnIndex: -1,
      seq: 0,
    },
  ]);
});

it("PLK-97 calls every destroy though one never ends", async () => {
  const called: string[] = [];
  const hangs = { ...scriptedProvider([]), destroy: () => new Promise<void>(() => called.push("first")) };
  const fine = { ...scriptedProvider([]), destroy: () => void called.push("second") };
  void runtime([agent(hangs), agent(fine, { id: "bob" })]).destroy();
  await new Promise((resolve) => setImmediate(resolve));
  expect(called).toEqual(["first", "second"]);
});

it("PLK-97 destroys once, though what hears the abort destroys again", async () => {
  let destroyed = 0;
  const again: Promise<void>[] = [];
  const rude = tool("rude", (_args, { signal }) => {
    signal.addEventListener("abort", () => again.push(one.destroy()));
    return new Promise(() => undefined);
  });
  const provider = { ...scriptedProvider([ask([{ name: "rude" }])]), destroy: () => void destroyed++ };
  const one = runtime([agent(provider, { customTools: [rude] })]);
  const run = rejection(one.run({ goal: "g" }));
  await new Promise((resolve) => setImmediate(resolve));
  const first = one.destroy();
  expect(again).toEqual([first]);
  expect(one.destroy()).toBe(first);
  await first;
  expect(await run).toMatchObject({ code: "aborted" });
  expect(destroyed).toBe(1);
});

it("may be destroyed by a tool that waits for it", async () => {
  const closing = tool("closing", () => one.destroy());
  const one = runtime([agent(scriptedProvider([ask([{ name: "closing" }])]), { customTools: [closing] })]);
  expect(await rejection(one.run({ goal: "g" }))).toMatchObject({ code: "aborted" });
});

it("PLK-97 waits until aborted runs are out of the memory", async () => {
  const order: string[] = [];
  const memory = watchedMemory(async (method) => {
    if (method !== "clear") return;
    await new Promise((resolve) => setImmediate(resolve));
    order.push("forgotten");
  });
  const deaf = tool("deaf", () => new Promise(() => undefined));
  const provider = { ...scriptedProvider([ask([{ name: "deaf" }])]), destroy: () => void order.push("destroyed") };
  const one = runtime([agent(provider, { customTools: [deaf] })], { memory });
  const run = rejection(one.run({ goal: "g" })).then(() => order.push("rejected"));
  await new Promise((resolve) => setImmediate(resolve));
  await one.destroy();
  await run;
  expect(order).toEqual(["rejected", "forgotten", "destroyed"]);
});

it("PLK-97 does not wait for ever for a memory that never answers, and says so", async () => {
  const timers: number[] = [];
  const ports = {
    ...quietPorts(),
    timer(ms: number, fire: () => void) {
      // The others are the tool's own limit.
      if (ms !== MEMORY_GRACE_MS) return () => undefined;
      timers.push(ms);
      fire();
      return () => undefined;
    },
  };
  const memory = watchedMemory((method) => (method === "clear" ? new Promise(() => undefined) : undefined));
  const deaf = tool("deaf", () => new Promise(() => undefined));
  const one = runtime([agent(scriptedProvider([ask([{ name: "deaf" }])]), { customTools: [deaf] })], { memory, ports });
  const run = rejection(one.run({ goal: "g" }));
  await new Promise((resolve) => setImmediate(resolve));
  await one.destroy();
  expect(await run).toMatchObject({ code: "aborted" });
  // The run that ends, and what destroys the runtime, each wait once.
  expect(timers).toEqual([MEMORY_GRACE_MS, MEMORY_GRACE_MS]);
  expect(ports.warnings).toEqual([expect.stringContaining("5000 ms")]);
});

it("asks the memory nothing for a run that begins after destroy, and names the reason", async () => {
  const asked: string[] = [];
  const one = runtime([agent(scriptedProvider([]))], { memory: watchedMemory((method) => void asked.push(method)) });
  await one.destroy();
  expect(await rejection(one.run({ goal: "g" }))).toMatchObject({
    code: "aborted",
    cause: { message: "the runtime was destroyed" },
  });
  expect(asked).toEqual([]);
});

it.each([null, {}, "now"])("refuses a value that is not a signal (%s)", async (signal) => {
  const one = runtime([agent(scriptedProvider([say("x")]))]);
  expect(await rejection(one.run({ goal: "g", signal: signal as unknown as AbortSignal }))).toMatchObject({
    code: "invalid-options",
  });
});

it("gives up on a memory that never answers a run, with memory-failed", async () => {
  const waited: number[] = [];
  const ports = {
    ...quietPorts(),
    timer(ms: number, fire: () => void) {
      if (ms === MEMORY_TIMEOUT_MS || ms === MEMORY_GRACE_MS) {
        waited.push(ms);
        queueMicrotask(fire);
      }
      return () => undefined;
    },
  };
  const memory = watchedMemory((method) => (method === "get" ? undefined : new Promise(() => undefined)));
  const one = runtime([agent(scriptedProvider([say("a")]))], { memory, ports });
  expect(await rejection(one.run({ goal: "g" }))).toMatchObject({
    code: "memory-failed",
    message: expect.stringContaining(`no answer within ${MEMORY_TIMEOUT_MS} ms`) as string,
  });
  expect(waited).toEqual([MEMORY_TIMEOUT_MS, MEMORY_GRACE_MS]);
});
