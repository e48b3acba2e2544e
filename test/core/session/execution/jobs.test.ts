// Background jobs on a durable host: rows that any process may carry out, and one notification of their end.

import { describe, expect, it } from "vitest";
import { resumeAndDrain } from "../../../../src/core/session/agent.js";
import { cancelDurableChildRuns } from "../../../../src/core/session/execution/cancel.js";
import { definePlugin } from "../../../../src/core/session/plugins/plugin.js";
import type { ExecutionHost } from "../../../../src/core/session/ports/execution-host.js";
import type { Ports } from "../../../../src/core/ports.js";
import { durableHosts } from "../../../support/durable-host.js";
import {
  DESK,
  isJob,
  jobStand,
  lead,
  openRuns,
  remindersOf,
  workOff,
  type JobStand,
} from "../../../support/durable-jobs.js";
import { eventsOf, faultyHost, historyOf, memoryHost } from "../../../support/execution.js";
import { ask, say, tool } from "../../../support/script.js";
import { launch, taskIdsIn } from "../../../support/subagents.js";

const sqlite = durableHosts();
const HOSTS: readonly [string, (ports: Ports) => Promise<ExecutionHost>][] = [
  ["memory", async (ports) => memoryHost(ports, { backgroundSubagents: "durable" })],
  ["SQLite", (ports) => sqlite.open({ ports })],
];

/** The coordinator has launched its helpers, and its turn is over. */
async function launched(own: JobStand) {
  const agent = own.agent();
  const run = await agent.send("go");
  expect(await run.result()).toMatchObject({ status: "completed", text: "launched" });
  const jobs = await own.host.store.runs.listByParentRunId(run.runId);
  return { agent, runId: run.runId, jobs, tasks: jobs.map(({ publicTaskId = "" }) => publicTaskId) };
}

const pendingOf = ({ host }: JobStand, key = "default") => host.store.notifications.listPending(DESK, key);

describe.each(HOSTS)("background jobs on %s", (_name, open) => {
  it("PSS-45 PSS-85 PSS-108 are rows, and their results stay", async () => {
    const own = await jobStand({ open });
    const { agent, runId, jobs, tasks } = await launched(own);
    expect(
      jobs.map(({ kind, status, ownerNamespace, groupId, parentSessionKey }) => [
        kind,
        status,
        ownerNamespace,
        groupId,
        parentSessionKey,
      ]),
    ).toEqual(Array(3).fill(["background-subagent", "queued", DESK, runId, "default"]));
    expect(taskIdsIn(await historyOf(own.host))).toEqual(tasks);
    expect(Array.from(own.helperModels.values(), ({ asked }) => asked.length)).toEqual([0, 0, 0]);
    await workOff(own.host, own.agent());
    expect((await historyOf(own.host)).at(-1)?.content).toBe("done");
    const results = (await historyOf(own.host))
      .filter(({ role }) => role === "tool")
      .map(({ content }) => String(content));
    expect(results.slice(3)).toEqual(
      ["a", "b", "c"].map((subagent, index) =>
        JSON.stringify({ task_id: tasks[index], subagent, status: "completed", text: `${subagent} found it` }),
      ),
    );
    for (const { sessionKey, publicTaskId = "" } of jobs) {
      expect(await own.host.store.sessions.load(sessionKey)).toBe(null);
      expect(await own.host.store.runs.getByTaskId(DESK, "default", publicTaskId)).toMatchObject({
        status: "completed",
        output: { text: expect.stringMatching(/found it$/) as string },
      });
    }
    await agent.close();
  });

  it("PSS-85 have their id, attempts, lease, checkpoints, cancellation, schedule and notice in the host", async () => {
    const own = await jobStand({ open, helpers: ["a", "b"] });
    const { runs, checkpoints, notifications } = own.host.store;
    const enqueued: string[] = [];
    const scheduler: ExecutionHost["scheduler"] = {
      ...own.host.scheduler,
      enqueueRun: async (runId, order) => {
        enqueued.push(`${order.kind} ${runId}`);
        await own.host.scheduler.enqueueRun(runId, order);
      },
    };
    const host = { ...own.host, scheduler };
    await (await own.agent(host).send("go")).result();
    const [first, second] = (await openRuns(host)).filter(isJob);
    const [a = "", b = ""] = [first?.runId, second?.runId];
    expect(enqueued).toEqual([`background-subagent ${a}`, `background-subagent ${b}`]);

    // The process of the first job dies inside its second request.
    const faulty = faultyHost(host, Infinity, "before");
    const model = own.helperModels.get("a") as { turn: (request: never) => Promise<unknown> };
    const answer = model.turn;
    const isDead = new Promise<void>((resolve) => {
      let calls = 0;
      model.turn = (request) => {
        if (calls++ === 0) return answer(request);
        faulty.state.isDead = true;
        resolve();
        return new Promise(() => undefined);
      };
    });
    void resumeAndDrain(own.agent(faulty.host), a);
    await isDead;
    model.turn = answer;
    expect(await runs.get(a)).toMatchObject({ publicTaskId: first?.publicTaskId, status: "running", attempt: 1 });
    expect((await runs.get(a))?.lease?.leaseId).toMatch(/^[0-9a-f]{32}$/);
    expect(await checkpoints.latest(a)).toMatchObject({ phases: ["after-tool", "before-model"] });
    expect(await resumeAndDrain(own.agent(host), a)).toEqual({ kind: "skipped" });
    own.ports.pass((host.leaseMs ?? 0) + 1);
    expect(await resumeAndDrain(own.agent(host), a)).toEqual({ kind: "done" });
    expect(await runs.get(a)).toMatchObject({ status: "completed", attempt: 2 });
    expect(own.ledger.entries).toHaveLength(1);

    await cancelDurableChildRuns(host, first?.parentRunId ?? "");
    expect(await runs.get(b)).toMatchObject({ status: "cancelled" });
    const [notice] = await pendingOf(own);
    expect(notice).toMatchObject({ taskIds: [first?.publicTaskId], ownerNamespace: DESK });
    expect(enqueued.at(-1)).toBe(`notification ${notice?.runId}`);
    expect(await notifications.getByRunId(notice?.runId ?? "")).toEqual(notice);
  });

  it("PSS-46 PSS-48 PSS-49 PSS-53 PSS-113 share one notification, which their parent gets once", async () => {
    const own = await jobStand({ open });
    const { jobs, tasks } = await launched(own);
    const worker = own.agent();
    for (const { runId } of jobs.slice(0, 2)) await resumeAndDrain(worker, runId);
    expect(await pendingOf(own)).toEqual([]);
    await resumeAndDrain(worker, jobs[2]?.runId ?? "");
    const [notification, ...others] = await pendingOf(own);
    expect(others).toEqual([]);
    expect(notification).toMatchObject({ taskIds: tasks, sessionKey: "default" });
    const runId = notification?.runId ?? "";
    const tried = await Promise.all([own.agent(), own.agent(), worker].map((each) => each.resume(runId)));
    const [run, ...rest] = tried.filter((each) => each !== null);
    expect(rest).toEqual([]);
    expect(await run?.result()).toMatchObject({ status: "completed", text: "done" });
    expect(await remindersOf(own.host)).toHaveLength(1);
    expect(await pendingOf(own)).toEqual([]);
    expect(await openRuns(own.host)).toEqual([]);
    expect(await own.host.store.notifications.getByRunId(runId)).toMatchObject({ status: "acked", deliveredBy: runId });
    expect((await eventsOf(own.host, runId)).map(({ type }) => type).slice(0, 6)).toEqual([
      "turn-start",
      ...Array<string>(3).fill("subagent-job-end"),
      "runtime-input",
      "step-start",
    ]);
  });

  it("PSS-47 that fail have a notification of their own at once, and the rest of the group has one in the end", async () => {
    const answers = (name: string) => (name === "b" ? [new Error("broken")] : [say(`${name} found it`)]);
    const own = await jobStand({ open, answers });
    const { jobs, tasks } = await launched(own);
    const worker = own.agent();
    await resumeAndDrain(worker, jobs[0]?.runId ?? "");
    await resumeAndDrain(worker, jobs[1]?.runId ?? "");
    expect((await pendingOf(own)).map(({ taskIds }) => taskIds)).toEqual([[tasks[1]]]);
    await workOff(own.host, worker);
    const reminders = await remindersOf(own.host);
    expect(reminders.map((text) => taskIdsIn([{ role: "user", content: text }]))).toEqual([
      [tasks[1]],
      [tasks[0], tasks[2]],
    ]);
    expect(reminders[0]).toContain("Status: error");
  });

  it("PSS-40 PSS-54 PSS-113 that are cancelled end in the store, tell nothing later, and let the rest of the group be announced", async () => {
    const cancelling = (messages: Parameters<ReturnType<typeof lead>>[0]) => {
      const [first = "", second = ""] = taskIdsIn(messages);
      const last = messages.at(-1);
      if (last?.content === "stop")
        return ask([first, first].map((task_id) => ({ name: "background_cancel", arguments: { task_id } })));
      if (last?.role === "tool" && String(last.content).includes("cancelled")) return say(`stopped, not ${second}`);
      return lead(["a", "b"])(messages);
    };
    const own = await jobStand({ open, helpers: ["a", "b"], lead: cancelling });
    const { agent, jobs, tasks } = await launched(own);
    const [first, second] = jobs.map(({ runId }) => runId);
    // Another process works on the job, and has its answer when it is cancelled.
    let answer: (text: ReturnType<typeof say>) => void = () => undefined;
    const model = own.helperModels.get("a") as { turn: unknown };
    const isAsked = new Promise<void>((resolve) => {
      model.turn = () => (resolve(), new Promise((done) => (answer = done)));
    });
    const late = resumeAndDrain(own.agent(), first ?? "");
    await isAsked;
    await resumeAndDrain(own.agent(), second ?? "");
    expect(await pendingOf(own)).toEqual([]);
    await (await agent.send("stop")).result();
    answer(say("too late"));
    expect(await late).toEqual({ kind: "done" });
    expect(await own.host.store.runs.get(first ?? "")).toMatchObject({ status: "cancelled" });
    await workOff(own.host, own.agent());
    const reminders = await remindersOf(own.host);
    expect(reminders.map((text) => taskIdsIn([{ role: "user", content: text }]))).toEqual([[tasks[1]]]);
    expect(JSON.stringify(await historyOf(own.host))).not.toContain("too late");
  });

  it("PSS-26 PSS-38 are announced in the next turn, whose end settles the notification", async () => {
    const own = await jobStand({ open });
    const { agent } = await launched(own);
    await workOff(own.host, own.agent(), isJob);
    const [notification] = await pendingOf(own);
    const run = await agent.send("hello");
    await run.result();
    expect(await own.host.store.notifications.getByRunId(notification?.runId ?? "")).toMatchObject({
      status: "acked",
      deliveredBy: run.runId,
    });
    expect(await own.host.store.runs.get(notification?.runId ?? "")).toMatchObject({ status: "completed" });
    expect(await agent.resume(notification?.runId ?? "")).toBe(null);
    expect(await remindersOf(own.host)).toHaveLength(1);
  });

  it("PSS-49 leave their notification where it is if the turn fails that took it, and deliver it next", async () => {
    let isBroken = true;
    const own = await jobStand({
      open,
      lead: (messages) => {
        if (isBroken && messages.some(({ content }) => content === "again")) throw new Error("broken");
        return lead(["a", "b", "c"])(messages);
      },
    });
    const { agent } = await launched(own);
    await workOff(own.host, own.agent(), isJob);
    const [notification] = await pendingOf(own);
    expect(await (await agent.send("again")).result()).toMatchObject({ status: "error" });
    expect(await pendingOf(own)).toEqual([notification]);
    isBroken = false;
    expect(await resumeAndDrain(own.agent(), notification?.runId ?? "")).toEqual({ kind: "done" });
    expect(await remindersOf(own.host)).toHaveLength(1);
  });

  it("PSS-39 PSS-50 need no reminder once they were retrieved", async () => {
    const waiting = (messages: Parameters<ReturnType<typeof lead>>[0]) => {
      const last = messages.at(-1);
      if (messages.length === 1) return ask([launch("a")]);
      if (String(last?.content).includes('"running"'))
        return ask([{ name: "background_output", arguments: { task_id: taskIdsIn(messages)[0] ?? "", block: true } }]);
      return say("done");
    };
    const own = await jobStand({ open, helpers: ["a"], lead: waiting });
    const agent = own.agent();
    const run = await agent.send("go");
    const ended = run.result();
    while ((await openRuns(own.host)).filter(isJob).length === 0)
      await new Promise((resolve) => setTimeout(resolve, 1));
    await workOff(own.host, own.agent(), isJob);
    await ended;
    const [notification] = await pendingOf(own);
    expect(notification).toBeDefined();
    expect(await own.agent().session("default").nextNotification()).toBe(null);
    expect(await agent.resume(notification?.runId ?? "")).toBe(null);
    expect(await openRuns(own.host)).toEqual([]);
    expect(await pendingOf(own)).toEqual([]);
    expect(await remindersOf(own.host)).toEqual([]);
  });

  it("PSS-52 are waited for by nextNotification of an agent that did not launch them", async () => {
    const own = await jobStand({ open });
    const { jobs } = await launched(own);
    const other = own.agent();
    const session = other.session("default");
    const stop = new AbortController();
    const aborted = session.nextNotification({ signal: stop.signal });
    stop.abort();
    await expect(aborted).rejects.toMatchObject({ code: "aborted" });
    const waiting = session.nextNotification();
    for (const { runId } of jobs) await resumeAndDrain(own.agent(), runId);
    const run = await other.resume(String(await waiting));
    await run?.result();
    expect(await session.nextNotification()).toBe(null);
    expect(await remindersOf(own.host)).toHaveLength(1);
  });

  it.each(["fails", "is interrupted"])("of a turn that %s are cancelled with it", async (how) => {
    const own = await jobStand({
      open,
      lead: (messages) => {
        if (messages.length === 1) return ask([launch("a"), launch("b")]);
        if (how === "fails") throw new Error("broken");
        return new Promise<never>(() => session.interrupt());
      },
    });
    const agent = own.agent();
    const session = agent.session("default");
    const run = await agent.send("go");
    expect(await run.result()).toMatchObject({ status: how === "fails" ? "error" : "aborted" });
    const statuses = (await own.host.store.runs.listByParentRunId(run.runId)).map(({ status }) => status);
    expect(statuses).toEqual(Array(2).fill(how === "fails" ? "cancelled" : "queued"));
    expect(await pendingOf(own)).toEqual([]);
  });

  it.each(["kill", "delete"] as const)("PSS-97 end with %s of their session, whoever works on them", async (how) => {
    const own = await jobStand({ open });
    const { agent, jobs } = await launched(own);
    const worker = own.agent();
    await resumeAndDrain(worker, jobs[0]?.runId ?? "");
    let isAborted = false;
    const model = own.helperModels.get("b") as { turn: unknown };
    const isAsked = new Promise<void>((resolve) => {
      model.turn = ({ signal }: { signal: AbortSignal }) =>
        new Promise((_resolve, reject) => {
          signal.addEventListener("abort", () => ((isAborted = true), reject(new Error("aborted"))));
          resolve();
        });
    });
    const working = resumeAndDrain(worker, jobs[1]?.runId ?? "");
    await isAsked;
    const waiting = agent.session("default").nextNotification();
    await agent.session("default")[how]();
    expect(await working).toEqual({ kind: "done" });
    expect(isAborted).toBe(true);
    expect(await waiting).toBe(null);
    expect(
      (await own.host.store.runs.listByParentRunId(jobs[0]?.parentRunId ?? "")).map(({ status }) => status),
    ).toEqual(["completed", "cancelled", "cancelled"]);
    expect(await openRuns(own.host)).toEqual([]);
    expect(await pendingOf(own)).toEqual([]);
    if (how === "delete") expect(await (await agent.send("hello")).result()).toMatchObject({ text: "hi" });
    expect(await remindersOf(own.host)).toEqual([]);
  });

  it("PSS-98 are cancelled by their parent run, and those that had completed are announced", async () => {
    const own = await jobStand({ open });
    const { runId, jobs, tasks } = await launched(own);
    await resumeAndDrain(own.agent(), jobs[1]?.runId ?? "");
    await cancelDurableChildRuns(own.host, runId);
    expect((await own.host.store.runs.listByParentRunId(runId)).map(({ status }) => status)).toEqual([
      "cancelled",
      "completed",
      "cancelled",
    ]);
    await workOff(own.host, own.agent());
    const [reminder, ...others] = await remindersOf(own.host);
    expect(others).toEqual([]);
    expect(taskIdsIn([{ role: "user", content: reminder ?? "" }])).toEqual([tasks[1]]);
  });

  it("PSS-39 PSS-88 are retrieved again by the call that a crash cut off", async () => {
    let retrieved: () => void = () => undefined;
    const isRetrieved = new Promise<void>((resolve) => (retrieved = resolve));
    const own = await jobStand({
      open,
      tools: [tool("wait", () => isRetrieved.then(() => "waited"), { effect: "read" })],
      lead: (messages) => {
        const { message } = lead(["a", "b", "c"])(messages);
        const { toolCalls = [] } = message.role === "assistant" ? message : {};
        if (toolCalls[0]?.name === "background_output") return ask([...toolCalls, { name: "wait", id: "c9" }]);
        return toolCalls.length > 0 ? ask([...toolCalls]) : say(String(message.content));
      },
    });
    await launched(own);
    await workOff(own.host, own.agent(), isJob);
    const runId = (await pendingOf(own))[0]?.runId ?? "";
    const faulty = faultyHost(own.host, Infinity, "before");
    const isStored = async () => {
      const { journal = [] } = (await own.host.store.checkpoints.load(runId)) ?? {};
      return journal.some((item) => (item as { t: string; callIndex?: number }).callIndex === 3);
    };
    // The process dies with one result that the model's session has learnt of, and that is not stored.
    let outputs = 0;
    const dying = definePlugin({
      setup: (host) =>
        host.on("tool.result", async (event) => {
          if (event.tool !== "background_output" || ++outputs < 3) return;
          retrieved();
          while (!(await isStored())) await new Promise((resolve) => setTimeout(resolve, 1));
          faulty.state.isDead = true;
          await new Promise(() => undefined);
        }),
    });
    void resumeAndDrain(own.agent(faulty.host, { plugins: [dying] }), runId);
    while (!faulty.state.isDead) await new Promise((resolve) => setTimeout(resolve, 1));
    own.ports.pass((own.host.leaseMs ?? 0) + 1);
    expect(await resumeAndDrain(own.agent(), runId)).toEqual({ kind: "done" });
    const results = (await historyOf(own.host)).flatMap(({ role, content }) =>
      role === "tool" ? [String(content)] : [],
    );
    expect(results.slice(3).map((text) => /"text":"(\w)|waited/.exec(text)?.[1])).toEqual(["a", "b", "c", undefined]);
  });

  it("PSS-88 stay taken by a turn that goes on in another process", async () => {
    const own = await jobStand({ open });
    const { agent } = await launched(own);
    await workOff(own.host, own.agent(), isJob);
    const notification = (await pendingOf(own))[0]?.runId ?? "";
    const run = await agent.send("hello");
    await agent.close();
    const first = await own.agent().resume(run.runId, { maxSteps: 1 });
    expect(await first?.result()).toMatchObject({ status: "suspended" });
    expect(await pendingOf(own)).toHaveLength(1);
    expect(await resumeAndDrain(own.agent(), run.runId)).toEqual({ kind: "done" });
    const settled = { status: "acked", deliveredBy: run.runId };
    expect(await own.host.store.notifications.getByRunId(notification)).toMatchObject(settled);
    expect(await remindersOf(own.host)).toHaveLength(1);
  });

  it("PSS-26 PSS-49 share their inbox with inputs that a host schedules, which have turns of their own", async () => {
    const own = await jobStand({ open });
    const { store } = own.host;
    const ids = { ownerNamespace: DESK, sessionKey: "default", runId: "daily-1" };
    const input = { type: "user-text", text: "hello" };
    await store.runs.create({ ...ids, kind: "notification", rootRunId: "daily-1" });
    await store.notifications.enqueue({ ...ids, notificationId: "n", idempotencyKey: "daily:1", taskIds: [], input });
    expect(await own.agent().session("default").nextNotification()).toBe(null);
    expect(await resumeAndDrain(own.agent(), "daily-1")).toEqual({ kind: "done" });
    expect((await historyOf(own.host)).map(({ content }) => content)).toEqual(["hello", "hi"]);
    expect((await eventsOf(own.host, "daily-1")).map(({ type }) => type)).toEqual([
      "turn-start",
      "runtime-input",
      "step-start",
      "assistant-text",
      "step-end",
      "turn-end",
    ]);
    expect(await store.notifications.getByRunId("daily-1")).toMatchObject({ status: "acked", deliveredBy: "daily-1" });
  });

  it("PSS-80 stay when the agent closes that launched them", async () => {
    const own = await jobStand({ open });
    const { agent } = await launched(own);
    await agent.close();
    await workOff(own.host, own.agent());
    expect((await historyOf(own.host)).at(-1)?.content).toBe("done");
  });
});
