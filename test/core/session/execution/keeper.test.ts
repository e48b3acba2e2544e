// Sessions on an execution host: what is stored at each step, and how another agent goes on from it.

import { describe, expect, it, vi } from "vitest";
import type { ExecutionHost } from "../../../../src/core/session/ports/execution-host.js";
import { AgentError } from "../../../../src/core/errors.js";
import { MAX_STORED_VALUE_BYTES } from "../../../../src/core/limits.js";
import type { LlmTurnResponse } from "../../../../src/core/model/provider.js";
import { ask, say } from "../../../support/script.js";
import {
  agentOn,
  eventsOf,
  handPorts,
  historyOf,
  memoryHost,
  openLedger,
  pureModel,
} from "../../../support/execution.js";
import { PATIENCE } from "../../../support/patience.js";
import { readRun, typesOf } from "../../../support/sessions.js";

const ANSWERS = [ask([{ name: "book" }]), ask([{ name: "pay" }]), say("Booked and paid.")];

function stand() {
  const ports = handPorts();
  const host = memoryHost(ports);
  const ledger = openLedger();
  const model = pureModel(ANSWERS);
  const tools = [ledger.tool("book", { retryPolicy: "idempotent" }), ledger.tool("pay")];
  const agent = () => agentOn(host, { model, tools, ports });
  return { ports, host, ledger, model, agent };
}

describe("a session on an execution host", () => {
  it("PSS-71 PSS-90 keeps a turn as a run, its events and its session in the host", async () => {
    const { host, agent } = stand();
    const run = await agent().send("Book a table.");
    const told = await readRun(run);
    expect(await run.result()).toMatchObject({ status: "completed", text: "Booked and paid.", steps: 3, toolCalls: 2 });
    expect(await host.store.runs.get(run.runId)).toMatchObject({
      kind: "user-turn",
      status: "completed",
      ownerNamespace: "agent:clerk",
      attempt: 1,
      output: { text: "Booked and paid." },
    });
    expect(await eventsOf(host, run.runId)).toEqual(told);
    expect((await historyOf(host)).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "tool",
      "assistant",
      "tool",
      "assistant",
    ]);
    expect(await host.store.checkpoints.latest(run.runId)).toBe(null);
  });

  it("cancels an input that it accepts while its agent closes", async () => {
    const { host, agent } = stand();
    const first = agent();
    const sending = first.send("Book a table.");
    const closing = first.close();
    await expect(sending).rejects.toMatchObject({ code: "session-closed" });
    await closing;
    const open = await host.store.runs.listOpen("agent:clerk", { sessionKey: "default" });
    expect(open).toEqual([]);
  });

  it("ends a turn as failed whose state is too large, and goes on", async () => {
    const ports = handPorts();
    const host = memoryHost(ports);
    const long = "x".repeat(MAX_STORED_VALUE_BYTES / 2);
    const model = pureModel([say("ok"), say("ok"), say("ok")]);
    const agent = agentOn(host, { model, ports });
    expect((await (await agent.send(long)).result()).status).toBe("completed");
    const failed = await agent.send(long);
    expect(await failed.result()).toMatchObject({ status: "error", error: { code: "store-failed" } });
    expect(await host.store.runs.get(failed.runId)).toMatchObject({ status: "error" });
    expect(await (await agent.send("short")).result()).toMatchObject({ status: "completed" });
    expect((await historyOf(host)).length).toBe(4);
  });

  it("ends a turn as failed whose output is too large, and goes on", async () => {
    const ports = handPorts();
    const host = memoryHost(ports);
    let asked = 0;
    const model = { turn: async () => say(asked++ === 0 ? "x".repeat(MAX_STORED_VALUE_BYTES) : "ok") };
    const agent = agentOn(host, { model, ports });
    const failed = await agent.send("a");
    expect(await failed.result()).toMatchObject({ status: "error", error: { code: "store-failed" } });
    expect(await host.store.runs.get(failed.runId)).toMatchObject({ status: "error" });
    expect(await (await agent.send("b")).result()).toMatchObject({ status: "completed", text: "ok" });
  });

  it("PSS-86 PSS-107 is resumed by new agents, one step each, to the same history and events", async () => {
    const whole = stand();
    const once = await whole.agent().send("Book a table.");
    const told = await readRun(once);

    const { host, agent, ledger, model } = stand();
    const first = agent();
    const { runId } = await first.send("Book a table.");
    await first.close();
    const statuses: string[] = [];
    for (let call = 0; call < 10; call++) {
      const run = await agent().resume(runId, { maxSteps: 1 });
      if (run === null) break;
      statuses.push((await run.result()).status);
    }
    expect(statuses).toEqual(["suspended", "suspended", "completed"]);
    expect(await eventsOf(host, runId)).toEqual(told);
    expect(await historyOf(host)).toEqual(await historyOf(whole.host));
    expect(ledger.entries.map(({ tool }) => tool)).toEqual(["book", "pay"]);
    expect(model.asked).toHaveLength(3);
    expect(typesOf(told).filter((type) => type === "step-end")).toHaveLength(3);
  });

  it("gives a run back as soon as a store answers that failed, long before its lease ends", async () => {
    const { host, ports, ledger } = stand();
    const failing = failingStore(host.store);
    const cut = { ...pureModel(ANSWERS), turn: async () => ((failing.isDown = true), ANSWERS[0] as LlmTurnResponse) };
    const first = agentOn({ ...host, store: failing.store }, { model: cut, tools: [ledger.tool("book")], ports });
    const run = await first.send("Book a table.");
    expect(await run.result()).toMatchObject({ status: "error" });
    expect(await host.store.runs.get(run.runId)).toMatchObject({ status: "running" });
    expect(ports.warnings).toEqual([expect.stringContaining("a run could not be released: the database is down")]);
    failing.isDown = false;
    await vi.waitFor(async () => expect((await host.store.runs.get(run.runId))?.status).toBe("suspended"), PATIENCE);
    const tools = [ledger.tool("book"), ledger.tool("pay")];
    const resumed = await agentOn(host, { model: pureModel(ANSWERS), tools, ports }).resume(run.runId);
    expect(await resumed?.result()).toMatchObject({ status: "completed", text: "Booked and paid." });
  });
});

/** A store whose writes of runs fail while it is down. */
function failingStore(store: ExecutionHost["store"]) {
  const failing = { isDown: false, store };
  const unless = <T>(call: () => Promise<T>): Promise<T> =>
    failing.isDown
      ? Promise.reject(new AgentError("store-failed", "the database is down", { retryable: true }))
      : call();
  const runs: typeof store.runs = {
    ...store.runs,
    update: (...args) => unless(async () => store.runs.update(...args)),
  };
  failing.store = { ...store, runs, transaction: (work) => unless(() => store.transaction(work)) };
  return failing;
}
