// A process that stops inside a tool: nothing runs twice unless it may, and somebody decides about what must not.

import { describe, expect, it } from "vitest";
import type { ExecutionHost } from "../../../../src/core/session/ports/execution-host.js";
import type { RecoveryDecision } from "../../../../src/core/session/execution/recovery.js";
import { ToolExecutionNeedsRecoveryError } from "../../../../src/core/session/execution/store-errors.js";
import { resumeAndDrain } from "../../../../src/core/session/agent.js";
import type { CustomTool } from "../../../../src/core/tools/tool.js";
import { ask, say, tool } from "../../../support/script.js";
import {
  agentOn,
  eventsOf,
  faultyHost,
  handPorts,
  historyOf,
  memoryHost,
  pureModel,
} from "../../../support/execution.js";
import { readRun, typesOf } from "../../../support/sessions.js";

const CALL = "call_pay";

/** A run whose process was killed inside the tool `pay`. */
async function killedInTool(extra: Partial<CustomTool> = {}) {
  const ports = handPorts();
  const host = memoryHost(ports);
  const calls: { key: string; attempt: number }[] = [];
  const model = pureModel([ask([{ name: "pay", id: CALL }]), say("Paid.")]);
  const faulty = faultyHost(host, Infinity, "before");
  let entered: () => void = () => undefined;
  const inside = new Promise<void>((resolve) => (entered = resolve));
  let hangs = true;
  const pay = tool(
    "pay",
    async (_args, { idempotencyKey: key, attempt }) => {
      calls.push({ key, attempt });
      entered();
      if (hangs) await new Promise(() => undefined);
      return "paid";
    },
    extra,
  );
  const agent = (own: ExecutionHost = host) => agentOn(own, { model, tools: [pay], ports });
  const run = await agent(faulty.host).send("Pay.");
  void run.result();
  await inside;
  faulty.state.isDead = true;
  hangs = false;
  ports.pass(host.leaseMs + 1);
  return { ports, host, calls, model, agent: () => agent(), runId: run.runId, hang: () => (hangs = true) };
}

describe("a run that stopped inside a tool", () => {
  it("PSS-128 runs an idempotent tool again, under the same key and as the next attempt", async () => {
    const { agent, calls, runId, model } = await killedInTool({ retryPolicy: "idempotent" });
    expect(await resumeAndDrain(agent(), runId)).toEqual({ kind: "done" });
    expect(calls).toEqual([
      { key: `${runId}:${CALL}`, attempt: 1 },
      { key: `${runId}:${CALL}`, attempt: 2 },
    ]);
    expect(model.asked).toHaveLength(2);
  });

  it("PSS-129 stops before a tool that must not run twice, and nothing in the session goes on", async () => {
    const { agent, calls, runId, host } = await killedInTool();
    expect(await resumeAndDrain(agent(), runId)).toEqual({ kind: "needs-recovery" });
    expect(await host.store.runs.get(runId)).toMatchObject({ status: "needs-recovery" });
    const refused = await agent()
      .send("More.")
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ToolExecutionNeedsRecoveryError);
    expect(refused).toMatchObject({ code: "needs-recovery", runId, toolCallId: CALL, toolName: "pay" });
    expect(await resumeAndDrain(agent(), runId)).toEqual({ kind: "skipped" });
    expect(calls).toHaveLength(1);
  });

  it("PSS-129 tells the live stream why it stops, and stores nothing of it", async () => {
    const { agent, runId, host } = await killedInTool();
    const run = await agent().resume(runId);
    const told = await readRun(run as NonNullable<typeof run>);
    expect(told).toMatchObject([{ type: "turn-error", code: "needs-recovery" }]);
    expect(typesOf(await eventsOf(host, runId)).at(-1)).toBe("tool-call");
  });

  const decisions: [string, RecoveryDecision, { calls: number; status: string; result: string | undefined }][] = [
    ["runs again", { action: "retry" }, { calls: 2, status: "completed", result: "paid" }],
    ["is answered", { action: "result", output: "ok" }, { calls: 1, status: "completed", result: "ok" }],
    ["fails", { action: "fail", message: "no money" }, { calls: 1, status: "completed", result: "no money" }],
    ["is abandoned", { action: "abandon" }, { calls: 1, status: "cancelled", result: undefined }],
  ];
  for (const [name, decision, expected] of decisions)
    it(`PSS-95 acceptance 6: a call that was decided on ${name}, and what waits follows`, async () => {
      const { agent, calls, runId, host } = await killedInTool();
      await resumeAndDrain(agent(), runId);
      const later = await agent().session("default").schedule("Thanks.");
      expect(await resumeAndDrain(agent(), later)).toEqual({ kind: "skipped" });
      await agent().recover(runId, CALL, decision);
      await agent().recover(runId, CALL, { action: "fail", message: "a later decision" });
      expect(await resumeAndDrain(agent(), runId)).toEqual({ kind: "done" });
      expect(calls).toHaveLength(expected.calls);
      expect(await host.store.runs.get(runId)).toMatchObject({ status: expected.status });
      const result = (await historyOf(host)).find(({ role }) => role === "tool");
      expect(result?.content).toEqual(expected.result);
    });

  it("PSS-95 asks for another decision where the call stops again", async () => {
    const { agent, calls, runId, hang, ports, host } = await killedInTool();
    await resumeAndDrain(agent(), runId);
    await agent().recover(runId, CALL, { action: "retry" });
    hang();
    const faulty = faultyHost(host, Infinity, "before");
    const pay = tool("pay", async () => {
      calls.push({ key: "", attempt: 0 });
      faulty.state.isDead = true;
      await new Promise(() => undefined);
    });
    const model = pureModel([ask([{ name: "pay", id: CALL }]), say("Paid.")]);
    void (await agentOn(faulty.host, { model, tools: [pay], ports }).resume(runId))?.result();
    while (!faulty.state.isDead) await new Promise((resolve) => setTimeout(resolve, 1));
    ports.pass(host.leaseMs + 1);
    expect(await resumeAndDrain(agent(), runId)).toEqual({ kind: "needs-recovery" });
    expect(calls).toHaveLength(2);
  });

  it("PSS-95 refuses decisions that nobody waits for", async () => {
    const { agent, runId } = await killedInTool();
    await expect(agent().recover(runId, CALL, { action: "retry" })).rejects.toMatchObject({ code: "invalid-options" });
    await resumeAndDrain(agent(), runId);
    await expect(agent().recover(runId, "call_x", { action: "retry" })).rejects.toMatchObject({
      code: "invalid-options",
    });
    await expect(agent().recover("none", CALL, { action: "retry" })).rejects.toMatchObject({ code: "invalid-options" });
    await expect(agent().recover(runId, CALL, { action: "perhaps" } as never)).rejects.toMatchObject({
      code: "invalid-options",
    });
  });

  it.each<[string, Partial<CustomTool>, string]>([
    ["idempotent", { retryPolicy: "idempotent" }, "done"],
    ["pure, though it writes", { retryPolicy: "pure", effect: "write" }, "done"],
    ["pure, since it only reads", { effect: "read" }, "done"],
    ["for manual recovery, though it reads", { retryPolicy: "manual-recovery", effect: "read" }, "needs-recovery"],
    ["for manual recovery, unless it says more", {}, "needs-recovery"],
  ])("PSS-127 runs the tool again unless a person decides: %s", async (_name, extra, kind) => {
    const { agent, calls, runId } = await killedInTool(extra);
    expect(await resumeAndDrain(agent(), runId)).toEqual({ kind });
    expect(calls).toHaveLength(kind === "done" ? 2 : 1);
  });
});
