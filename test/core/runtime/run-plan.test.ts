// How a run ends when somebody stops it.

import { expect, it } from "vitest";
import type { AgentEvent } from "../../../src/core/events/event.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { agent, runtime } from "../../support/agents.js";
import { gate } from "../../support/loop.js";
import { rejection } from "../../support/refusal.js";
import { ask, say, tool } from "../../support/script.js";

it("PLK-50 ends at once when it is aborted, though a tool does not heed its signal", async () => {
  const controller = new AbortController();
  const deaf = tool("deaf", () => {
    queueMicrotask(() => controller.abort("enough"));
    return new Promise(() => undefined);
  });
  const provider = scriptedProvider([ask([{ name: "deaf" }]), say("x")]);
  const run = runtime([agent(provider, { customTools: [deaf] })]).run({ goal: "g", signal: controller.signal });
  expect(await rejection(run)).toMatchObject({ code: "aborted", cause: "enough" });
});

it("PLK-29 ends at once when it is aborted, though the provider does not heed its signal", async () => {
  const controller = new AbortController();
  const provider = {
    turn: () => {
      queueMicrotask(() => controller.abort("enough"));
      return new Promise<never>(() => undefined);
    },
  };
  const run = runtime([agent(provider)]).run({ goal: "g", signal: controller.signal });
  expect(await rejection(run)).toMatchObject({ code: "aborted" });
});

it("says nothing more after run-end, whatever a late tool does", async () => {
  const controller = new AbortController();
  const events: AgentEvent[] = [];
  const late = gate();
  const slow = tool("slow", async () => {
    controller.abort();
    await late.opened;
    return "too late";
  });
  const provider = scriptedProvider([ask([{ name: "slow" }]), say("x")]);
  const one = runtime([agent(provider, { customTools: [slow] })], { onEvent: (event) => events.push(event) });
  await rejection(one.run({ goal: "g", signal: controller.signal }));
  late.open();
  await new Promise((resolve) => setImmediate(resolve));
  expect(events.at(-1)).toMatchObject({ type: "run-end", stop: "failed" });
});

it("PLK-97 waits for what runs to end before providers are destroyed", async () => {
  const order: string[] = [];
  const wait = tool("wait", () => new Promise(() => undefined));
  const script = scriptedProvider([ask([{ name: "wait" }]), say("x")]);
  const provider = { ...script, destroy: () => void order.push("destroyed") };
  const onEvent = (event: AgentEvent) => void (event.type === "run-end" && order.push("ended"));
  const one = runtime([agent(provider, { customTools: [wait] })], { onEvent });
  const run = rejection(one.run({ goal: "g" }));
  await new Promise((resolve) => setImmediate(resolve));
  await Promise.all([one.destroy(), one.destroy(), run]);
  expect(order).toEqual(["ended", "destroyed"]);
});
