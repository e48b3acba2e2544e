// Subagents on an execution host: their runs are rows of their own, linked to the run that delegates, and go on like any other.

import { describe, expect, it } from "vitest";
import { SESSION_GRACE_MS } from "../../../../src/core/limits.js";
import { systemPorts } from "../../../../src/core/ports.js";
import { Agent } from "../../../../src/core/session/agent.js";
import type { ExecutionHost } from "../../../../src/core/session/ports/execution-host.js";
import { resumeAndDrain } from "../../../../src/core/session/agent.js";
import { ask, say } from "../../../support/script.js";
import {
  eventsOf,
  faultyHost,
  handPorts,
  historyOf,
  memoryHost,
  openLedger,
  pureModel,
} from "../../../support/execution.js";

const CHILD_KEY = "parent:agent:desk:default:subagent:helper";

function stand() {
  const ports = handPorts();
  const host = memoryHost(ports);
  const ledger = openLedger();
  const parentModel = pureModel([
    ask([{ name: "delegate_to_helper", id: "call_1", arguments: { prompt: "Look it up." } }]),
    say("The helper found it."),
  ]);
  const childModel = pureModel([ask([{ name: "look", id: "call_0" }]), say("Found.")]);
  const agent = (own: ExecutionHost = host) => {
    const tools = [ledger.tool("look", { retryPolicy: "idempotent" })];
    const helper = new Agent({ name: "helper", description: "Looks things up.", model: childModel, tools, ports });
    return new Agent({ name: "desk", model: parentModel, subagents: [helper], host: own, ports });
  };
  return { ports, host, ledger, parentModel, childModel, agent };
}

type Stand = ReturnType<typeof stand>;

async function stored({ host, ledger }: Stand, runId: string) {
  const children = await host.store.runs.listByParentRunId(runId);
  return {
    events: await eventsOf(host, runId),
    history: await historyOf(host),
    child: await historyOf(host, CHILD_KEY),
    runs: children.map(({ kind, status, sessionKey }) => ({ kind, status, sessionKey })),
    keys: [...new Set(ledger.entries.map(({ key }) => key.replace(/^[0-9a-f]+/, "run")))],
  };
}

describe("a subagent on an execution host", () => {
  it("PSS-88 PSS-108 has a run that is created together with a checkpoint of its parent", async () => {
    const own = stand();
    const run = await own.agent().send("Where is it?");
    expect(await run.result()).toMatchObject({ status: "completed", text: "The helper found it." });
    const [child, ...others] = await own.host.store.runs.listByParentRunId(run.runId);
    expect(others).toEqual([]);
    expect(child).toMatchObject({
      kind: "subagent",
      status: "completed",
      ownerNamespace: "agent:desk",
      sessionKey: CHILD_KEY,
      rootRunId: run.runId,
      parentSessionKey: "default",
      dedupeKey: `${run.runId}:call_1`,
      output: { text: "Found." },
    });
    expect((await historyOf(own.host)).map(({ content }) => content)).toEqual([
      "Where is it?",
      "",
      "Found.",
      "The helper found it.",
    ]);
  });

  it("PSS-88 PSS-108 goes on with its parent wherever the process dies, and is asked nothing twice that was stored", async () => {
    const whole = stand();
    const counting = faultyHost(whole.host, 0, "before");
    const once = await whole.agent(counting.host).send("Where is it?");
    await once.result();
    const expected = await stored(whole, once.runId);
    expect(expected.runs).toEqual([{ kind: "subagent", status: "completed", sessionKey: CHILD_KEY }]);
    for (const fault of ["dead-before", "dead-after"] as const)
      for (let at = 2; at <= counting.state.count; at++) {
        const own = stand();
        const faulty = faultyHost(own.host, at, fault);
        const died = async () => {
          while (!faulty.state.isDead) await new Promise((resolve) => setTimeout(resolve, 1));
          return undefined;
        };
        const sent = await Promise.race([own.agent(faulty.host).send("Where is it?"), died()]);
        if (sent !== undefined) await Promise.race([sent.result(), died()]);
        const [open] = await own.host.store.runs.listOpen("agent:desk", { sessionKey: "default" });
        const runId = sent?.runId ?? open?.runId;
        if (runId === undefined) continue;
        own.ports.pass(own.host.leaseMs + 1);
        const delivery = await resumeAndDrain(own.agent(), runId);
        expect(["done", "skipped"], `${fault} ${at}`).toContain(delivery.kind);
        expect(await stored(own, runId), `${fault} ${at}`).toEqual(expected);
        expect(own.parentModel.asked.length + own.childModel.asked.length, `${fault} ${at}`).toBeLessThanOrEqual(5);
      }
  }, 60_000);

  it("PSS-85 goes on by itself where a worker delivers it", async () => {
    const own = stand();
    const faulty = faultyHost(own.host, Infinity, "before");
    const first = own.childModel.turn;
    own.childModel.turn = () => {
      faulty.state.isDead = true;
      return new Promise<never>(() => undefined);
    };
    const run = await own.agent(faulty.host).send("Where is it?");
    void run.result();
    while (!faulty.state.isDead) await new Promise((resolve) => setTimeout(resolve, 1));
    own.childModel.turn = first;
    own.ports.pass(own.host.leaseMs + 1);
    const [child] = await own.host.store.runs.listByParentRunId(run.runId);
    const worker = own.agent();
    expect(await resumeAndDrain(worker, child?.runId ?? "")).toEqual({ kind: "done" });
    expect(await resumeAndDrain(worker, run.runId)).toEqual({ kind: "done" });
    expect((await historyOf(own.host)).at(-1)?.content).toBe("The helper found it.");
    expect(own.childModel.asked).toHaveLength(2);
  });

  it("PSS-97 is cancelled with its parent's session", async () => {
    const own = stand();
    own.childModel.turn = () => new Promise<never>(() => undefined);
    const agent = own.agent();
    const run = await agent.send("Where is it?");
    const ended = run.result();
    let child;
    while (child?.checkpointVersion !== 1) {
      await new Promise((resolve) => setTimeout(resolve, 1));
      [child] = await own.host.store.runs.listByParentRunId(run.runId);
    }
    await agent.session("default").kill();
    expect(await ended).toMatchObject({ status: "aborted" });
    expect(await own.host.store.runs.get(child.runId)).toMatchObject({ status: "cancelled" });
  });

  it("PSS-80 is suspended with its parent when the agent closes, and both go on", async () => {
    const own = stand();
    const first = own.childModel.turn;
    let asked: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => (asked = resolve));
    own.childModel.turn = () => (asked(), new Promise<never>(() => undefined));
    // The time that a running tool has to end is over at once.
    own.ports.timer = (ms, fire) => systemPorts.timer(ms === SESSION_GRACE_MS ? 0 : ms, fire);
    const agent = own.agent();
    const run = await agent.send("Where is it?");
    const ended = run.result();
    await isAsked;
    await agent.close();
    expect(await ended).toMatchObject({ status: "suspended" });
    own.childModel.turn = first;
    expect(await resumeAndDrain(own.agent(), run.runId)).toEqual({ kind: "done" });
    expect((await historyOf(own.host)).map(({ content }) => content)).toEqual([
      "Where is it?",
      "",
      "Found.",
      "The helper found it.",
    ]);
  });
});
