// Runs of one session over several agents: their order, who may have one, and how they are given up, cancelled and followed.

import { describe, expect, it } from "vitest";
import { readRun as readStored } from "../../../../src/core/session/execution/read-run.js";
import { cancelDurableChildRuns } from "../../../../src/core/session/execution/cancel.js";
import { resumeAndDrain } from "../../../../src/core/session/agent.js";
import type { SessionEvent } from "../../../../src/core/session/event.js";
import type { CheckpointStore } from "../../../../src/core/session/ports/checkpoint-store.js";
import type { ExecutionHost, ExecutionStore } from "../../../../src/core/session/ports/execution-host.js";
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

const COUNTING = Array.from({ length: 200 }, (_, index) => say(`answer ${index}`));

function stand(extra: Parameters<typeof memoryHost>[1] = {}) {
  const ports = handPorts();
  const host = memoryHost(ports, extra);
  const model = pureModel(COUNTING);
  return { ports, host, model, agent: (name = "clerk") => agentOn(host, { model, ports, name }) };
}

const textsOf = (messages: readonly { content: unknown }[]) => messages.map(({ content }) => content);

/** A host that calls checkpoints stale `times` times in a row, though their version is right. */
function staleHost(host: ExecutionHost, times: number): ExecutionHost {
  const { store } = host;
  let left = times;
  const transaction: ExecutionStore["transaction"] = (work) =>
    store.transaction((tx) => {
      const append: CheckpointStore["append"] = (checkpoint, options) =>
        checkpoint.version > 1 && left-- > 0
          ? Promise.resolve({ ok: false, reason: "stale-version", currentVersion: options.expectedVersion })
          : tx.checkpoints.append(checkpoint, options);
      return work({ ...tx, checkpoints: { ...tx.checkpoints, append } });
    });
  return { ...host, store: { ...store, transaction } };
}

describe("runs of a session", () => {
  it.each([
    [5, "completed"],
    [6, "error"],
  ])("PSS-126 write a checkpoint that is stale %i times in a row, and end as %s", async (times, status) => {
    const { ports, host, model } = stand();
    const run = await agentOn(staleHost(host, times), { model, ports }).send("hello");
    expect(await run.result()).toMatchObject({ status });
  });

  it("PSS-22 go on in the order of their acceptance, whoever accepted them", async () => {
    const { host, agent } = stand();
    const agents = [agent(), agent()];
    const runs = [];
    for (let input = 0; input < 20; input++)
      runs.push(await (agents[input % 2] as (typeof agents)[0]).send(`input ${input}`));
    const results = await Promise.all(runs.map((run) => run.result()));
    expect(results.map(({ status }) => status)).toEqual(Array.from({ length: 20 }, () => "completed"));
    const expected = Array.from({ length: 20 }, (_, index) => [`input ${index}`, `answer ${index}`]).flat();
    expect(textsOf(await historyOf(host))).toEqual(expected);
  });

  it("PSS-50 PSS-51 PSS-144 are resumed once: by one of twenty, and by no agent of another namespace", async () => {
    const { host, agent } = stand();
    const first = agent();
    const { runId } = await first.send("hello");
    await first.close();
    expect(await agent("stranger").resume(runId)).toBe(null);
    const tried = await Promise.all(Array.from({ length: 20 }, () => agent().resume(runId)));
    const [run, ...others] = tried.filter((each) => each !== null);
    expect(others).toEqual([]);
    expect(await run?.result()).toMatchObject({ status: "completed", text: "answer 0" });
    expect(await agent().resume(runId)).toBe(null);
    expect(await agent().resume("unknown")).toBe(null);
    expect(await host.store.runs.get(runId)).toMatchObject({ attempt: 2 });
  });

  it("PSS-125 may be claimed once their lease has run out, and not before", async () => {
    const { ports, host, agent, model } = stand();
    const faulty = faultyHost(host, 3, "dead-before");
    const run = await agentOn(faulty.host, { model, ports }).send("hello");
    void run.result();
    while (!faulty.state.isDead) await new Promise((resolve) => setTimeout(resolve, 1));
    expect(host.leaseMs).toBe(300_000);
    ports.pass(299_999);
    expect(await agent().resume(run.runId)).toBe(null);
    ports.pass(1);
    expect(await (await agent().resume(run.runId))?.result()).toMatchObject({ status: "completed" });
  });

  it("are given up once they were begun too often without getting ahead, and the session goes on", async () => {
    const { ports, host, agent, model } = stand({ maxAttempts: 3 });
    const dying = async (work: (own: ReturnType<typeof agent>) => Promise<unknown>) => {
      const faulty = faultyHost(host, Infinity, "before");
      const own = agentOn(faulty.host, {
        ports,
        model: {
          turn: () => {
            faulty.state.isDead = true;
            return new Promise<never>(() => undefined);
          },
        },
      });
      void work(own);
      while (!faulty.state.isDead) await new Promise((resolve) => setTimeout(resolve, 1));
      ports.pass(host.leaseMs + 1);
    };
    let runId = "";
    await dying(async (own) => {
      const run = await own.send("poison");
      runId = run.runId;
      await run.result();
    });
    for (let claim = 0; claim < 3; claim++) await dying(async (own) => (await own.resume(runId))?.result());
    expect(await resumeAndDrain(agent(), runId)).toEqual({ kind: "done" });
    expect(await host.store.runs.get(runId)).toMatchObject({ status: "error", error: { code: "gave-up" }, attempt: 5 });
    expect(model.asked).toHaveLength(0);
    expect(typesOf(await eventsOf(host, runId))).toEqual(["user-text", "turn-error"]);
    expect(await (await agent().send("next")).result()).toMatchObject({ status: "completed" });
  });

  it("PSS-96 PSS-97 PSS-137 are cancelled in the store before anything is aborted, whoever works on them", async () => {
    const { host, ports, agent } = stand();
    const statuses: (string | undefined)[] = [];
    let asked: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const working = agentOn(host, {
      ports,
      model: {
        turn: ({ signal }) =>
          new Promise((_resolve, reject) => {
            signal?.addEventListener("abort", () => {
              void host.store.runs.get(run.runId).then((record) => statuses.push(record?.status));
              reject(new Error("aborted"));
            });
            asked();
          }),
      },
    });
    const run = await working.send("long");
    const waiting = await working.send("waits");
    const ended = Promise.all([run.result(), waiting.result()]);
    await isAsked;
    await agent().session("default").kill();
    expect((await ended).map(({ status }) => status)).toEqual(["aborted", "aborted"]);
    expect(statuses).toEqual(["cancelled"]);
    expect(typesOf(await eventsOf(host, run.runId)).at(-1)).toBe("turn-abort");
    expect(await historyOf(host)).toEqual([]);
  });

  it("PSS-97 leave nothing behind when their session is deleted", async () => {
    const { host, agent } = stand();
    const one = agent();
    await (await one.send("a")).result();
    const waiting = await one.send("b");
    await one.session("default").delete();
    expect(await waiting.result()).toMatchObject({ status: "aborted" });
    expect(await host.store.sessions.load("default")).toBe(null);
    expect(await host.store.runs.listOpen("agent:clerk", { sessionKey: "default" })).toEqual([]);
    expect(await (await one.send("c")).result()).toMatchObject({ text: "answer 0" });
  });

  it("PSS-54 refuse the end of a run that was cancelled meanwhile", async () => {
    const { host, ports } = stand();
    const runs: string[] = [];
    const agent = agentOn(host, {
      ports,
      model: {
        turn: async () => {
          await host.store.runs.update(runs[0] as string, { status: "cancelled" }, {});
          return say("too late");
        },
      },
    });
    const run = await agent.send("a");
    runs.push(run.runId);
    expect(await run.result()).toMatchObject({ status: "aborted" });
    expect(await historyOf(host)).toEqual([]);
  });

  it("PSS-98 are cancelled by their parent run, with what they launched, on durable hosts alone", async () => {
    for (const backgroundSubagents of ["durable", "in-process"] as const) {
      const { host } = stand({ backgroundSubagents });
      const make = (runId: string, parentRunId?: string) =>
        host.store.runs.create({
          ...{ runId, kind: "background-subagent", ownerNamespace: "n", sessionKey: runId, rootRunId: "p" },
          ...(parentRunId === undefined ? {} : { parentRunId }),
        });
      await make("p");
      await make("child", "p");
      await make("grandchild", "child");
      await cancelDurableChildRuns(host, "p");
      const statuses = await Promise.all(
        ["p", "child", "grandchild"].map(async (id) => (await host.store.runs.get(id))?.status),
      );
      const below = backgroundSubagents === "durable" ? "cancelled" : "queued";
      expect(statuses).toEqual(["queued", below, below]);
    }
    await cancelDurableChildRuns({}, "p");
  });

  it("PSS-136 end as a conflict where someone stored a newer session", async () => {
    const { host, ports, agent } = stand();
    const one = agentOn(host, {
      ports,
      model: {
        turn: async () => {
          await host.store.sessions.commit(
            "default",
            { state: { schemaVersion: 1, history: [] } },
            { expectedVersion: null },
          );
          return say("lost");
        },
      },
    });
    const run = await one.send("a");
    expect(await run.result()).toMatchObject({ status: "error", error: { code: "session-conflict" } });
    expect(await host.store.runs.get(run.runId)).toMatchObject({
      status: "error",
      error: { code: "session-conflict" },
    });
    expect(await (await agent().send("b")).result()).toMatchObject({ status: "completed" });
  });

  it("PSS-86 are scheduled once for each dedupe key, and begin when they are due", async () => {
    const delivered: string[] = [];
    const { host, agent } = stand({ onResume: (runId) => void delivered.push(runId) });
    const session = agent().session("default");
    const runId = await session.schedule("later", { runAfterMs: 5, dedupeKey: "daily" });
    expect(await session.schedule("again", { dedupeKey: "daily" })).toBe(runId);
    expect(await agent().session("other").schedule("elsewhere", { dedupeKey: "daily" })).not.toBe(runId);
    expect(await host.store.runs.get(runId)).toMatchObject({ status: "queued" });
    while (!delivered.includes(runId)) await new Promise((resolve) => setTimeout(resolve, 1));
    await expect(session.schedule("x", { runAfterMs: -1 })).rejects.toThrow(TypeError);
    await expect(session.schedule("x", { dedupeKey: "" })).rejects.toThrow(TypeError);
    await expect(
      agentOn({} as never, { model: pureModel([]) })
        .session("a")
        .schedule("x"),
    ).rejects.toThrow(TypeError);
  });

  it("PSS-80 are suspended and given back when their agent closes, with the result of a tool that runs", async () => {
    const { host, ports } = stand();
    let entered: () => void = () => undefined;
    const inside = new Promise<void>((resolve) => (entered = resolve));
    let finish: () => void = () => undefined;
    const calls: number[] = [];
    const slow = tool("slow", async () => {
      calls.push(1);
      entered();
      await new Promise<void>((resolve) => (finish = resolve));
      return "done";
    });
    const model = pureModel([ask([{ name: "slow" }]), say("end"), say("second")]);
    const agent = () => agentOn(host, { ports, model, tools: [slow] });
    const one = agent();
    const run = await one.send("a");
    const waiting = await one.send("b");
    const ended = Promise.all([run.result(), waiting.result()]);
    await inside;
    const closed = one.close();
    finish();
    await closed;
    expect((await ended).map(({ status }) => status)).toEqual(["suspended", "suspended"]);
    expect(await host.store.runs.get(run.runId)).toMatchObject({ status: "suspended", stalls: 0 });
    expect((await host.store.runs.get(waiting.runId))?.lease).toBe(undefined);
    const two = agent();
    expect(await resumeAndDrain(two, run.runId)).toEqual({ kind: "done" });
    expect(await resumeAndDrain(two, waiting.runId)).toEqual({ kind: "done" });
    expect(calls).toHaveLength(1);
    expect(textsOf(await historyOf(host))).toEqual(["a", "", "done", "end", "b", "second"]);
  });

  it("end their stream without a word that is stored when another process takes them", async () => {
    const { host, ports, agent } = stand();
    let asked: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    const one = agentOn(host, { ports, model: { turn: () => (asked(), new Promise<never>(() => undefined)) } });
    const run = await one.send("a");
    const told: SessionEvent[] = [];
    const reading = readRun(run, (event) => told.push(event));
    await isAsked;
    ports.pass(host.leaseMs + 1);
    expect(await resumeAndDrain(agent(), run.runId)).toEqual({ kind: "done" });
    await one.close();
    await reading;
    expect(typesOf(told).filter((type) => type === "turn-end")).toEqual([]);
    expect(typesOf(await eventsOf(host, run.runId)).at(-1)).toBe("turn-end");
    expect(await host.store.runs.get(run.runId)).toMatchObject({ status: "completed" });
  });

  it("PSS-57 PSS-109 PSS-146 are read from any cursor, once each, and followed to their end", async () => {
    const { host, agent } = stand();
    const one = agent();
    const run = await one.send("a");
    const followed = (async () => {
      const events: SessionEvent[] = [];
      for await (const { event } of readStored(host, run.runId, { follow: true })) events.push(event);
      return events;
    })();
    const told: SessionEvent[] = [];
    for await (const event of run.events()) told.push(event);
    const all = await followed;
    expect(all).toEqual(told);
    expect(all).toEqual(await eventsOf(host, run.runId));
    for (let offset = 0; offset <= all.length; offset++) {
      const rest: SessionEvent[] = [];
      for await (const { event, cursor } of readStored(host, run.runId, { cursor: { offset } })) {
        rest.push(event);
        expect(cursor.offset).toBe(offset + rest.length);
      }
      expect(rest).toEqual(all.slice(offset));
    }
    await expect(readStored(host, "none").next()).rejects.toMatchObject({ code: "invalid-options" });
  });

  it("hand an input that another process took over back to its caller", async () => {
    const { host, ports, agent } = stand();
    const one = agent();
    const blocking = await one.send("first");
    const waiting = await one.send("second");
    ports.pass(host.leaseMs + 1);
    const two = agent();
    expect(await resumeAndDrain(two, blocking.runId)).toEqual({ kind: "done" });
    expect(await resumeAndDrain(two, waiting.runId)).toEqual({ kind: "done" });
    // The first was begun here already.
    expect(await blocking.result()).toMatchObject({ status: "error", error: { code: "lease-lost" } });
    expect(await waiting.result()).toMatchObject({ status: "completed", text: "answer 1" });
  });

  it("PSS-107 keep a steered input of a step that was cut off", async () => {
    const { host, ports } = stand();
    const model = pureModel([say("one"), say("two")]);
    const agent = () => agentOn(host, { ports, model });
    const one = agent();
    const run = await one.send("a");
    const events = run.events()[Symbol.asyncIterator]();
    for (let event = await events.next(); event.value?.type !== "step-start"; event = await events.next());
    await one.steer("shorter");
    // The model is asked, and does not answer before the agent closes.
    const cut = model.turn;
    let asked: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    model.turn = () => (asked(), new Promise<never>(() => undefined));
    void events.next().then(() => events.next());
    await isAsked;
    await one.close();
    model.turn = cut;
    expect(await resumeAndDrain(agent(), run.runId)).toEqual({ kind: "done" });
    expect(textsOf(await historyOf(host))).toEqual(["a", "shorter", "one"]);
    const types = typesOf(await eventsOf(host, run.runId));
    expect(types).toEqual([
      "user-text",
      "turn-start",
      "step-start",
      "runtime-input",
      "assistant-text",
      "step-end",
      "turn-end",
    ]);
  });
});
