// The low-level runner: some steps of a run, for hosts that keep the state of their sessions themselves.

import { describe, expect, it } from "vitest";
import { resumeRun, type ResumeRunOptions } from "../../../../src/core/session/execution/resume-run.js";
import type { LlmMessage } from "../../../../src/core/model/message.js";
import { ask, say } from "../../../support/script.js";
import { handPorts, memoryHost, openLedger, pureModel } from "../../../support/execution.js";

async function stand(more: Partial<ResumeRunOptions> = {}) {
  const host = memoryHost(handPorts());
  const ledger = openLedger();
  const model = pureModel([ask([{ name: "book" }]), ask([{ name: "book" }]), say("Booked.")]);
  await host.store.runs.create({
    ...{ runId: "r", kind: "user-turn", ownerNamespace: "mine", sessionKey: "s", rootRunId: "r" },
    input: { type: "user-text", text: "Book." },
  });
  await host.store.events.append("r", [{ type: "user-text", text: "Book." }], { firstOffset: 0 });
  let history: readonly LlmMessage[] = [];
  const saved: number[] = [];
  const run = (maxSteps: number, signal?: AbortSignal) =>
    resumeRun({
      ...{ host, runId: "r", model, tools: [ledger.tool("book", { retryPolicy: "idempotent" })] },
      ...(signal === undefined ? {} : { signal }),
      budget: { maxSteps },
      loadState: async () => ({ history }),
      async saveState(state) {
        saved.push(state.history.length);
        history = state.history;
      },
      ...more,
    });
  return { host, ledger, model, saved, run, history: () => history };
}

describe("resumeRun", () => {
  it("PSS-148 goes on for some steps at a time, and says how far it came", async () => {
    const { run, ledger, saved, history, model } = await stand();
    expect(await run(1)).toEqual({ status: "suspended", steps: 1 });
    expect(saved).toEqual([]);
    expect(await run(1)).toEqual({ status: "suspended", steps: 1 });
    expect(await run(5)).toEqual({ status: "completed", steps: 1 });
    expect(history().map(({ role }) => role)).toEqual(["user", "assistant", "tool", "assistant", "tool", "assistant"]);
    expect(ledger.entries).toHaveLength(2);
    expect(model.asked).toHaveLength(3);
    await expect(run(1)).rejects.toMatchObject({ code: "lease-lost" });
  });

  it("PSS-148 suspends at once without steps", async () => {
    const { run, host, model } = await stand();
    for (const maxSteps of [0, -1]) expect(await run(maxSteps)).toEqual({ status: "suspended", steps: 0 });
    expect(await host.store.runs.get("r")).toMatchObject({ status: "queued", attempt: 0 });
    expect(model.asked).toHaveLength(0);
    await expect(run(0.5)).rejects.toMatchObject({ code: "invalid-options" });
  });

  it("takes no run with wrong options, and none that another run launched", async () => {
    const { host, run } = await stand({ tools: 5 as never });
    await expect(run(1)).rejects.toThrow("tools");
    expect(await host.store.runs.get("r")).toMatchObject({ status: "queued" });
    await expect(
      resumeRun({ host, runId: "r", model: pureModel([]) } as unknown as ResumeRunOptions),
    ).rejects.toMatchObject({ code: "invalid-options", message: expect.stringContaining("budget.maxSteps") });
    await host.store.runs.create({
      ...{ runId: "below", kind: "subagent", ownerNamespace: "mine", sessionKey: "t", rootRunId: "r" },
      input: { path: ["clerk"], input: { type: "user-text", text: "Book." } },
    });
    const { run: below } = await stand({ host, runId: "below" });
    await expect(below(1)).rejects.toMatchObject({ code: "invalid-options" });
    expect(await host.store.runs.get("below")).toMatchObject({ status: "queued" });
  });

  it("PSS-148 aborts by its signal", async () => {
    const { run, host } = await stand();
    expect(await run(1, AbortSignal.abort())).toEqual({ status: "aborted", steps: 0 });
    expect(await host.store.runs.get("r")).toMatchObject({ status: "cancelled" });
  });

  it("PSS-148 aborts by a signal that fires while the model is asked, and counts the steps before", async () => {
    const ends = new AbortController();
    const script = pureModel([ask([{ name: "book" }]), say("Booked.")]);
    const model: typeof script = {
      ...script,
      turn(request) {
        if (request.messages.length === 1) return script.turn(request);
        ends.abort();
        return new Promise(() => undefined);
      },
    };
    const { run, host } = await stand({ model });
    expect(await run(5, ends.signal)).toEqual({ status: "aborted", steps: 1 });
    expect(await host.store.runs.get("r")).toMatchObject({ status: "cancelled" });
  });

  it("rejects with what ended the run", async () => {
    const { run } = await stand({ model: pureModel([new Error("no model")]) });
    await expect(run(1)).rejects.toThrow("no model");
    const other = await stand({ loadState: () => Promise.reject(new Error("no state")) });
    await expect(other.run(1)).rejects.toMatchObject({ code: "store-failed" });
  });
});
