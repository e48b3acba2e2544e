// Background jobs that subagents launch on a durable host, and what becomes of them.

import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../../../src/core/canon/value.js";
import { Agent } from "../../../../src/core/session/agent.js";
import type { LlmTurnRequest, LlmTurnResponse } from "../../../../src/core/model/provider.js";
import { DESK, isJob, openRuns, workOff } from "../../../support/durable-jobs.js";
import { handPorts, historyOf, memoryHost } from "../../../support/execution.js";
import { ask, say } from "../../../support/script.js";
import { delegate, launch } from "../../../support/subagents.js";

const MID = "parent:agent:desk:default:subagent:mid";

/** desk delegates to mid, and mid launches deep in the background. */
function stand(isBackground: boolean) {
  const ports = handPorts();
  const host = memoryHost(ports, { backgroundSubagents: "durable" });
  const asked: LlmTurnRequest[] = [];
  const model = (answer: (request: LlmTurnRequest) => LlmTurnResponse) => ({
    turn: async (request: LlmTurnRequest) => {
      asked.push({ ...request, messages: [...request.messages] });
      return answer(request);
    },
  });
  const isTool = ({ messages }: LlmTurnRequest) => messages.at(-1)?.role === "tool";
  const deskModel = model((request) => {
    const text = String(request.messages.at(-1)?.content);
    if (isTool(request) || text.startsWith("<system-reminder>")) return say("desk is done");
    return ask([isBackground ? launch("mid") : delegate("mid", { prompt: text })]);
  });
  const midModel = model((request) =>
    isTool(request) || request.messages.length > 1
      ? say("mid is done")
      : ask([launch("deep"), delegate("leaf", { prompt: "p" })]),
  );
  const agent = () => {
    const leaf = new Agent({ name: "leaf", description: "Leaf.", model: model(() => say("leaf")), ports });
    const deep = new Agent({ name: "deep", description: "Deep.", model: model(() => say("deep")), ports });
    const mid = new Agent({ name: "mid", description: "Mid.", model: midModel, subagents: [deep, leaf], ports });
    return new Agent({ name: "desk", model: deskModel, subagents: [mid], host, ports });
  };
  const runsBelow = (key: string) => host.store.runs.listOpen(DESK, { parentSessionKey: key });
  return { ports, host, asked, agent, runsBelow };
}

describe("a background job of a subagent", () => {
  it("PSS-97 ends with the job that launched it, and leaves no session behind", async () => {
    const { host, agent, asked } = stand(true);
    const run = await agent().send("go");
    await run.result();
    const [mid] = await host.store.runs.listByParentRunId(run.runId);
    const key = mid?.sessionKey ?? "";
    await workOff(host, agent());
    const [deep, leaf] = await host.store.runs.listByParentRunId(mid?.runId ?? "");
    expect([deep?.status, leaf?.status]).toEqual(["cancelled", "completed"]);
    expect(await host.store.sessions.load(leaf?.sessionKey ?? "")).toBe(null);
    expect(await host.store.sessions.load(key)).toBe(null);
    expect(await host.store.notifications.listPending(DESK, key)).toEqual([]);
    expect((await historyOf(host)).map(({ content }) => String(content).slice(0, 17))).toContain("<system-reminder>");
    expect(asked.some(({ messages }) => messages.at(-1)?.content === "deep")).toBe(false);
  });

  it("PSS-97 leaves no session of a job behind that is cancelled half-way", async () => {
    const { host, agent, runsBelow } = stand(true);
    const own = agent();
    const run = await own.send("go");
    await run.result();
    const [mid] = await host.store.runs.listByParentRunId(run.runId);
    const half = await agent().resume(mid?.runId ?? "", { maxSteps: 1 });
    expect(await half?.result()).toMatchObject({ status: "suspended" });
    const leafKey = `parent:agent:mid:${encodeURIComponent(mid?.sessionKey ?? "")}:subagent:leaf`;
    expect(await host.store.sessions.load(leafKey)).not.toBe(null);
    expect(await runsBelow(mid?.sessionKey ?? "")).toHaveLength(1);
    await own.session("default").delete();
    expect(await host.store.sessions.load(leafKey)).toBe(null);
    expect(await runsBelow(mid?.sessionKey ?? "")).toEqual([]);
    expect(await openRuns(host)).toEqual([]);
  });

  it("PSS-38 is announced in the next turn of its session, which nobody resumes", async () => {
    const { host, agent, runsBelow } = stand(false);
    const own = agent();
    await (await own.send("one")).result();
    const [deep] = await runsBelow(MID);
    expect(deep !== undefined && isJob(deep)).toBe(true);
    const job = await agent().resume(deep?.runId ?? "");
    expect(await job?.result()).toMatchObject({ status: "completed", text: "deep" });
    const [notification] = await host.store.notifications.listPending(DESK, MID);
    expect(await host.store.runs.get(notification?.runId ?? "")).toMatchObject({ status: "completed" });
    expect(await agent().resume(notification?.runId ?? "")).toBe(null);
    await (await own.send("two")).result();
    const told = (await historyOf(host, MID)).map(({ content }) => String(content).slice(0, 17));
    expect(told.slice(-3)).toEqual(["two", "<system-reminder>", "mid is done"]);
    expect(await host.store.notifications.getByRunId(notification?.runId ?? "")).toMatchObject({ status: "acked" });
  });

  it("PSS-97 ends with kill of the session at the top, though the run that launched it has ended", async () => {
    const { agent, runsBelow } = stand(false);
    const own = agent();
    await (await own.send("one")).result();
    expect(await runsBelow(MID)).toHaveLength(1);
    await own.session("default").kill();
    expect(await runsBelow(MID)).toEqual([]);
  });

  it("PSS-97 cannot keep its session from being killed by a state that names itself, or another session", async () => {
    const { host, agent, runsBelow } = stand(false);
    const own = agent();
    await (await own.send("one")).result();
    for (const key of ["default", MID]) {
      const stored = await host.store.sessions.load(key);
      const { children, ...state } = stored?.state as { children: { jobs: JsonValue } };
      const keys = { [MID]: "mid", other: "mid" };
      const next = { state: { ...state, children: { ...children, keys } } };
      await host.store.sessions.commit(key, next, { expectedVersion: stored?.version ?? null });
    }
    const other = await own.session("other").schedule("wait");
    await own.session("default").kill();
    expect(await runsBelow(MID)).toEqual([]);
    expect(await host.store.runs.get(other)).toMatchObject({ status: "queued" });
  });
});
