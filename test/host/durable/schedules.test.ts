import { describe, expect, it, vi } from "vitest";
import type { LlmTurnRequest } from "../../../src/core/model/provider.js";
import { Agent, resumeAndDrain } from "../../../src/core/session/agent.js";
import type { SessionEvent } from "../../../src/core/session/event.js";
import { readRun } from "../../../src/core/session/execution/read-run.js";
import type { Schedule } from "../../../src/host/durable/schedules.js";
import { durableHosts, handClock } from "../../support/durable-host.js";
import { PATIENCE } from "../../support/patience.js";
import { say } from "../../support/script.js";

const hosts = durableHosts();
const HOUR = 3_600_000;

const daily = (more: Partial<Schedule> = {}): Schedule => ({
  ...{ id: "report", ownerNamespace: "shop", sessionKey: "ann", text: "Report.", everyMs: HOUR, startAt: HOUR },
  ...more,
});

async function openAt(start: number, file?: string) {
  const clock = handClock(start);
  const host = await hosts.open({ ports: { now: clock.now } }, file);
  const pending = () => host.store.notifications.listPending("shop", "ann");
  const work = () => host.work({ namespaces: ["shop"], deliver: async () => ({ kind: "skipped" }) });
  return { clock, host, pending, work };
}

describe("the schedules of a durable host", () => {
  it("PSS-86 put one input into the session's inbox at each slot, with a run that delivers it", async () => {
    const { clock, host, pending, work } = await openAt(HOUR - 1);
    await host.schedules.set(daily());
    work();
    await host.store.runs.listOpen("shop", { sessionKey: "ann" });
    expect(await pending()).toEqual([]);
    clock.pass(1);
    await vi.waitFor(async () => expect(await pending()).toHaveLength(1), PATIENCE);
    const [first] = await pending();
    expect(first).toMatchObject({ input: { type: "user-text", text: "Report." }, taskIds: [] });
    expect(first?.idempotencyKey).toBe(`schedule:report:${HOUR}`);
    expect(await host.store.runs.get(first?.runId ?? "")).toMatchObject({ kind: "notification", status: "queued" });
    clock.pass(HOUR);
    await vi.waitFor(async () => expect(await pending()).toHaveLength(2), PATIENCE);
  });

  it("PSS-29 PSS-49 wake an agent, whose model reads the stored text as runtime input", async () => {
    const { clock, host } = await openAt(HOUR);
    const requests: LlmTurnRequest["messages"][] = [];
    const model = { turn: async ({ messages }: LlmTurnRequest) => (requests.push([...messages]), say("Reported.")) };
    const agent = new Agent({ name: "clerk", host, model });
    const key = { ownerNamespace: agent.namespace, sessionKey: "ann" };
    await host.schedules.set(daily(key));
    host.work({
      namespaces: [agent.namespace],
      deliver: (runId, { signal }) => resumeAndDrain(agent, runId, { signal }),
    });
    clock.pass(HOUR);
    const completed = () => host.admin.list({ ...key, status: ["completed"] });
    await vi.waitFor(async () => expect(await completed()).toHaveLength(1), PATIENCE);
    const [run] = await completed();
    expect(requests).toEqual([[{ role: "user", content: "Report." }]]);
    const events: SessionEvent[] = [];
    for await (const { event } of readRun(host, run?.runId ?? "")) events.push(event);
    expect(events.map(({ type }) => type)).toEqual([
      ...["turn-start", "runtime-input", "step-start", "assistant-text", "step-end", "turn-end"],
    ]);
    expect(events[1]).toMatchObject({ input: { type: "user-text", text: "Report." }, placement: "turn-start" });
    expect(await host.store.notifications.getByRunId(run?.runId ?? "")).toMatchObject({ status: "acked" });
    await agent.close();
  });

  it("make one of the slots that passed while no worker ran", async () => {
    const { clock, host, pending, work } = await openAt(0);
    await host.schedules.set(daily());
    clock.pass(5 * HOUR + 7);
    work();
    await vi.waitFor(async () => expect(await pending()).toHaveLength(1), PATIENCE);
    expect((await pending())[0]?.idempotencyKey).toBe(`schedule:report:${5 * HOUR}`);
    clock.pass(HOUR);
    await vi.waitFor(async () => expect(await pending()).toHaveLength(2), PATIENCE);
  });

  it("make one input of one slot on several hosts", async () => {
    const file = hosts.file();
    const [a, b] = [await openAt(0, file), await openAt(0, file)];
    await a.host.schedules.set(daily());
    const both = [a, b];
    for (const { work } of both) work();
    for (const hour of [1, 2, 3]) {
      for (const { clock } of both) clock.pass(HOUR);
      await vi.waitFor(async () => expect(await a.pending()).toHaveLength(hour), PATIENCE);
    }
    const keys = (await b.pending()).map(({ idempotencyKey }) => idempotencyKey);
    expect(keys).toEqual([1, 2, 3].map((hour) => `schedule:report:${hour * HOUR}`));
  });

  it("keep their slots when they are set again, and take the new text", async () => {
    const { clock, host } = await openAt(0);
    await host.schedules.set({ ...daily(), startAt: undefined as never });
    clock.pass(10);
    const { startAt: _start, ...again } = daily({ text: "Report again." });
    await host.schedules.set(again);
    expect(await host.schedules.list("shop")).toEqual([{ ...again, startAt: HOUR }]);
    await host.schedules.set({ ...again, everyMs: 2 * HOUR });
    expect(await host.schedules.list("shop")).toMatchObject([{ everyMs: 2 * HOUR, startAt: 2 * HOUR + 10 }]);
  });

  it("end when they are removed", async () => {
    const { clock, host, pending, work } = await openAt(0);
    await host.schedules.set(daily());
    await host.schedules.set(daily({ id: "other" }));
    expect(await host.schedules.remove("shop", "report")).toBe(true);
    expect(await host.schedules.remove("shop", "report")).toBe(false);
    expect(await host.schedules.remove("elsewhere", "other")).toBe(false);
    clock.pass(HOUR);
    work();
    await vi.waitFor(async () => expect(await pending()).toHaveLength(1), PATIENCE);
    expect((await pending())[0]?.idempotencyKey).toContain("other");
  });

  it.each([
    ["an interval that is too short", { everyMs: 999 }],
    ["an interval that is too long", { everyMs: 366 * 24 * HOUR + 1 }],
    ["no text", { text: "" }],
    ["a start that is not a time", { startAt: -1 }],
    ["no id", { id: "" }],
    ["no session", { sessionKey: "" }],
  ])("refuse %s", async (_name, wrong) => {
    const { host } = await openAt(0);
    await expect(host.schedules.set(daily(wrong))).rejects.toMatchObject({ code: "store-failed", retryable: false });
    expect(await host.schedules.list("shop")).toEqual([]);
  });
});
