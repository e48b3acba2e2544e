// The calls of tools in a stored run: what a tool is told, and what the checkpoints hold of its call.

import { describe, expect, expectTypeOf, it } from "vitest";
import { Agent, resumeAndDrain } from "../../../../src/core/session/agent.js";
import type { ExecutionHost } from "../../../../src/core/session/ports/execution-host.js";
import type { CustomToolContext } from "../../../../src/core/tools/tool.js";
import type { CheckpointStore, RunCheckpoint, ToolExecutionCheckpoint } from "../../../../src/entry/execution.js";
import {
  agentOn,
  eventsOf,
  faultyHost,
  handPorts,
  historyOf,
  memoryHost,
  pureModel,
  watchedHost,
} from "../../../support/execution.js";
import { ask, say, tool } from "../../../support/script.js";
import { delegate } from "../../../support/subagents.js";

type Given = Pick<CustomToolContext, "toolCallId" | "attempt" | "idempotencyKey" | "retryPolicy" | "signal">;

/** Reads the context while the call runs. */
const givenBy = ({ toolCallId, attempt, idempotencyKey, retryPolicy, signal }: CustomToolContext): Given => ({
  ...{ toolCallId, attempt, idempotencyKey, retryPolicy, signal },
});

/** The id of a vendor, which has another form than a public one. */
const VENDOR_ID = "toolu_1";

describe("the context of a call", () => {
  it("PSS-91 reaches every tool that an agent runs for its model: in a list, by name, of a plugin and of a subagent", async () => {
    const ports = handPorts();
    const host = memoryHost(ports);
    const seen = new Map<string, Given>();
    const note = (name: string) => (_args: unknown, context: CustomToolContext) => {
      seen.set(name, givenBy(context));
      return "seen";
    };
    const named = (name: string) => ({ [name]: { description: name, inputSchema: {}, execute: note(name) } });
    const helper = new Agent({
      ...{ name: "helper", description: "Helps.", ports, tools: [tool("child", note("child"))] },
      model: pureModel([ask([{ name: "child", id: "call_child" }]), say("Helped.")]),
    });
    const calls = [
      { name: "named", id: "call_named" },
      { name: "more", id: "call_more" },
    ];
    const agent = agentOn(host, {
      ports,
      tools: named("named") as never,
      plugins: [{ setup: (own) => own.registerTools([tool("more", note("more"))]) }],
      subagents: [helper],
      model: pureModel([ask([...calls, { ...delegate("helper", { prompt: "Help." }), id: "call_1" }]), say("Done.")]),
    });
    const run = await agent.send("Go.");
    expect(await run.result()).toMatchObject({ status: "completed" });
    const [child] = await host.store.runs.listByParentRunId(run.runId);
    const runIds = { named: run.runId, more: run.runId, child: child?.runId };
    for (const [name, runId] of Object.entries(runIds))
      expect(seen.get(name)).toMatchObject({
        ...{ toolCallId: `call_${name}`, attempt: 1, retryPolicy: "manual-recovery" },
        idempotencyKey: `${runId}:call_${name}`,
      });
  });

  it("PSS-93 is the same at each attempt but for its number, and its signal ends with the run", async () => {
    const ports = handPorts();
    const host = memoryHost(ports);
    const faulty = faultyHost(host, Infinity, "before");
    const given: Given[] = [];
    const begins: (() => void)[] = [];
    const isIn = [0, 1].map((index) => new Promise<void>((resolve) => (begins[index] = resolve)));
    const pay = tool(
      "pay",
      (_args, context) => {
        begins[given.push(givenBy(context)) - 1]?.();
        return new Promise(() => undefined);
      },
      { retryPolicy: "idempotent" },
    );
    const open = (on: ExecutionHost) => {
      const model = pureModel([ask([{ name: "pay", id: VENDOR_ID }])]);
      return agentOn(on, { model, tools: [pay], ports });
    };
    const killed = await open(faulty.host).send("Pay.");
    void killed.result();
    await isIn[0];
    faulty.state.isDead = true;
    ports.pass(host.leaseMs + 1);
    const second = open(host);
    const run = await second.resume(killed.runId);
    const ended = run?.result();
    await isIn[1];
    const [first, again] = given as [Given, Given];
    expect(first).toMatchObject({
      toolCallId: expect.stringMatching(/^call_[0-9a-f]{24}$/) as string,
      attempt: 1,
      idempotencyKey: `${killed.runId}:${first.toolCallId}`,
      retryPolicy: "idempotent",
    });
    expect({ ...again, signal: first.signal }).toEqual({ ...first, attempt: 2 });
    expect(again.signal.aborted).toBe(false);
    await second.session("default").kill();
    expect(again.signal.aborted).toBe(true);
    expect(await ended).toMatchObject({ status: "aborted" });
  });
});

/** A turn that pays twice at once, looks once, and says that it is done. Watches its checkpoints, also from inside the tools. */
async function watched() {
  const ports = handPorts();
  const { host, checkpoints } = watchedHost(memoryHost(ports));
  const given: Given[] = [];
  const during: (RunCheckpoint | undefined)[] = [];
  const between: (RunCheckpoint | undefined)[] = [];
  const invoke = (_args: unknown, context: CustomToolContext) => {
    given.push(givenBy(context));
    during.push(checkpoints.at(-1));
    return `receipt ${given.length}`;
  };
  const calls = [VENDOR_ID, "call_b"].map((id) => ({ name: "pay", id, arguments: { card: "4711" } }));
  const script = pureModel([ask(calls), ask([{ name: "look", id: "call_c" }]), say("Done.")]);
  const model: typeof script = {
    ...script,
    turn(request) {
      between.push(checkpoints.at(-1));
      return script.turn(request);
    },
  };
  const tools = [tool("pay", invoke, { effect: "write" }), tool("look", invoke, { effect: "read" })];
  const run = await agentOn(host, { model, tools, ports }).send("Pay.");
  expect(await run.result()).toMatchObject({ status: "completed" });
  return { runId: run.runId, host, checkpoints, given, during, between, events: await eventsOf(host, run.runId) };
}

const idsOf = (checkpoint: RunCheckpoint | undefined) =>
  (checkpoint?.pendingTools ?? []).map(({ toolCallId }) => toolCallId);

describe("the checkpoints of a call", () => {
  it("PSS-92 come before it, when it is pending, and after it, when its result is stored", async () => {
    const { checkpoints, given, during, between } = await watched();
    expect(checkpoints.map(({ phases }) => phases)).toEqual([
      ["before-model"],
      ["after-model", "before-tool"],
      ["after-tool"],
      ["after-tool", "before-model"],
      ["after-model", "before-tool"],
      ["after-tool", "before-model"],
      ["after-model"],
    ]);
    const [a, b, c] = given.map(({ toolCallId }) => toolCallId);
    // The second call of a batch that writes begins after the end of the first is stored.
    expect(during.map(idsOf)).toEqual([[a, b], [b], [c]]);
    expect(between.map(idsOf)).toEqual([[], [], []]);
    expect(between.map((checkpoint) => checkpoint?.appended.length)).toEqual([0, 1, 1]);
    expect(between.slice(1).map((checkpoint) => checkpoint?.appended[0])).toMatchObject([
      { t: "result", callIndex: 1, outcome: { kind: "ok", content: "receipt 2" } },
      { t: "result", callIndex: 0, outcome: { kind: "ok", content: "receipt 3" } },
    ]);
  });

  it("PSS-110 have the id, the key and the policy that the tool and the events have", async () => {
    const { runId, checkpoints, given, events } = await watched();
    const pending = checkpoints.filter(({ phases }) => phases.includes("before-tool"));
    const stored = pending.flatMap(({ pendingTools = [] }) => pendingTools);
    const told = given.map(({ signal: _signal, ...rest }) => rest);
    expect(stored).toEqual([
      { toolName: "pay", ...told[0] },
      { toolName: "pay", ...told[1] },
      { toolName: "look", ...told[2] },
    ]);
    expect(told.map(({ retryPolicy }) => retryPolicy)).toEqual(["manual-recovery", "manual-recovery", "pure"]);
    const ids = told.map(({ toolCallId }) => toolCallId);
    expect(ids).toEqual([expect.stringMatching(/^call_[0-9a-f]{24}$/), "call_b", "call_c"]);
    expect(told.map(({ idempotencyKey }) => idempotencyKey)).toEqual(ids.map((id) => `${runId}:${id}`));
    for (const type of ["tool-call", "tool-result"] as const)
      expect(events.flatMap((event) => (event.type === type ? [event.toolCallId] : []))).toEqual(ids);
  });

  it("PSS-131 hold neither its input nor its output, apart from the messages that they become", async () => {
    const { checkpoints } = await watched();
    for (const { appended: _messages, ...checkpoint } of checkpoints) {
      expect(JSON.stringify(checkpoint)).not.toMatch(/4711|receipt/);
      for (const call of checkpoint.pendingTools ?? [])
        expect(Object.keys(call).toSorted()).toEqual([
          ...["attempt", "idempotencyKey", "retryPolicy", "toolCallId", "toolName"],
        ]);
    }
    const messages = checkpoints.flatMap(({ appended }) => appended) as unknown as Record<string, unknown>[];
    const kinds = messages.map(({ t, ...item }) => [t, ...Object.keys(item)].join(" "));
    const result = "result callIndex outcome";
    expect(kinds).toEqual([
      ...["input message", "answer message turnIndex", result, result],
      ...["answer message turnIndex", result, "answer message turnIndex"],
    ]);
    const values = JSON.stringify(messages);
    expect(values.match(/4711/g)).toHaveLength(2);
    expect(values.match(/receipt/g)).toHaveLength(3);
  });

  it("PSS-94 have exported types, by which a runner of its own goes on with the calls", async () => {
    const ports = handPorts();
    const host = memoryHost(ports);
    const faulty = faultyHost(host, Infinity, "before");
    const model = pureModel([ask([{ name: "pay", id: VENDOR_ID }]), say("Paid.")]);
    let begin: () => void = () => undefined;
    const isIn = new Promise<void>((resolve) => (begin = resolve));
    const pay = tool("pay", () => (begin(), new Promise(() => undefined)), { retryPolicy: "idempotent" });
    const run = await agentOn(faulty.host, { model, tools: [pay], ports }).send("Pay.");
    void run.result();
    await isIn;
    faulty.state.isDead = true;
    ports.pass(host.leaseMs + 1);

    const keys: string[] = [];
    const resume = async ({ latest, append }: CheckpointStore, leaseId: string) => {
      const checkpoint = (await latest(run.runId)) as RunCheckpoint;
      const pending: readonly ToolExecutionCheckpoint[] = checkpoint.pendingTools ?? [];
      const appended = pending.map(({ idempotencyKey, retryPolicy }, callIndex) => {
        expect(retryPolicy).toBe("idempotent");
        keys.push(idempotencyKey);
        return { t: "result", callIndex, outcome: { kind: "ok", content: "paid elsewhere", cut: 0 } };
      });
      const { pendingTools: _done, ...rest } = checkpoint;
      const next: RunCheckpoint = {
        ...rest,
        checkpointId: "own",
        version: rest.version + 1,
        phases: ["after-tool"],
        appended,
      };
      return append(next, { expectedVersion: rest.version, leaseId });
    };
    await host.store.runs.claim(run.runId, { leaseId: "own", leaseMs: 1_000, ownerNamespace: "agent:clerk" });
    expect(await resume(host.store.checkpoints, "own")).toMatchObject({ ok: true });
    await host.store.runs.update(run.runId, { status: "suspended" }, { leaseId: "own" });
    expect(keys).toEqual([expect.stringMatching(new RegExp(`^${run.runId}:call_[0-9a-f]{24}$`))]);
    expect(await resumeAndDrain(agentOn(host, { model, tools: [pay], ports }), run.runId)).toEqual({ kind: "done" });
    expect((await historyOf(host)).find(({ role }) => role === "tool")?.content).toBe("paid elsewhere");
    expectTypeOf<keyof ToolExecutionCheckpoint>().toEqualTypeOf<
      "toolCallId" | "toolName" | "attempt" | "idempotencyKey" | "retryPolicy"
    >();
  });
});
