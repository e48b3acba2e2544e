// Agents and hosts that live as long as one request, as in a Durable Object: what they do not store is gone.

import { describe, expect, it } from "vitest";
import { executionStoreConformance } from "../../../../src/harness/conformance/execution-store/suite.js";
import { Agent } from "../../../../src/core/session/agent.js";
import type { SessionEvent } from "../../../../src/core/session/event.js";
import type { AgentOptions } from "../../../../src/core/session/options.js";
import type { LlmTurnRequest } from "../../../../src/core/model/provider.js";
import { agentOn, eventsOf, handPorts, historyOf, openLedger, pureModel } from "../../../support/execution.js";
import { ObjectStorage, objectHost } from "../../../support/object-storage.js";
import { ask, say } from "../../../support/script.js";
import { delegate } from "../../../support/subagents.js";

const isSent = ({ role }: { readonly role: string }) => role !== "system";
const contents = (messages: LlmTurnRequest["messages"] | undefined) =>
  (messages ?? []).filter(isSent).map(({ content }) => content);

/** What one request works with. Nothing of it is there for the next one. */
type Request = (more?: Partial<AgentOptions>) => Agent;

/**
 * The clerk asks its helper, books, and books again, which its budget forbids. The helper looks twice. Both models answer by what they
 * read, so that a request needs nothing of the ones before it.
 */
function stand() {
  const ports = handPorts();
  const storage = new ObjectStorage();
  const ledger = openLedger();
  const look = ask([{ name: "look" }]);
  const helperModel = pureModel([look, say("Found."), look, say("Found more.")]);
  const help = (prompt: string) => ask([{ ...delegate("helper", { prompt, sessionKey: "one" }), id: "call_1" }]);
  const book = ask([{ name: "book", id: "call_2" }]);
  const model = pureModel([help("Where?"), book, book, help("Where else?"), say("Everywhere."), say("Bye.")]);
  const request: Request = (more = {}) => {
    const helper = new Agent({
      ...{ name: "helper", description: "Looks.", model: helperModel, ports },
      tools: [ledger.tool("look", { effect: "read" })],
    });
    return agentOn(objectHost(storage, ports), {
      ...{ model, ports, subagents: [helper], tools: [ledger.tool("book")], instructions: "Be brief." },
      ...{ budget: { maxToolCalls: 2 }, ...more },
    });
  };
  return { ports, storage, ledger, model, helperModel, request, host: () => objectHost(storage, ports) };
}

type Stand = ReturnType<typeof stand>;

/** All that the storage tells of runs, with ids that two storages share. */
async function storedBy({ host, ledger, model, helperModel }: Stand, runIds: readonly string[]) {
  const events: SessionEvent[][] = [];
  const outputs: unknown[] = [];
  for (const runId of runIds) {
    events.push(await eventsOf(host(), runId));
    outputs.push((await host().store.runs.get(runId))?.output);
  }
  const short = (key: string) => key.replace(/^[0-9a-f]+/, "run");
  return {
    events,
    outputs,
    history: await historyOf(host()),
    child: await historyOf(host(), "parent:agent:clerk:default:subagent:helper:one"),
    calls: ledger.entries.map(({ key, ...entry }) => ({ ...entry, key: short(key) })),
    asked: model.asked.map(({ messages }) => messages),
    childAsked: helperModel.asked.map(({ messages }) => messages),
    open: await host().store.runs.listOpen("agent:clerk", { sessionKey: "default" }),
  };
}

const INPUTS = ["Book a table.", "And the rest?", "Thanks."];

describe("an agent that is built for each request", () => {
  it("PSS-81 goes on with its session and those of its subagents, from what the turn before stored", async () => {
    const { request, model, helperModel, host } = stand();
    const results = [];
    for (const input of INPUTS) results.push(await (await request().send(input)).result());
    expect(results.map(({ status, text }) => [status, text])).toEqual([
      ["completed", ""],
      ["completed", "Everywhere."],
      ["completed", "Bye."],
    ]);
    const firsts = model.asked.filter(({ messages }) => messages.at(-1)?.role === "user");
    const none = "not run: the budget of tool calls is used up";
    const first = [INPUTS[0], "", "Found.", "", "book done", "", none];
    expect(firsts.map(({ messages }) => contents(messages))).toEqual([
      [INPUTS[0]],
      [...first, INPUTS[1]],
      [...first, INPUTS[1], "", "Found more.", "Everywhere.", INPUTS[2]],
    ]);
    expect(contents(helperModel.asked[2]?.messages)).toEqual(["Where?", "", "look done", "Found.", "Where else?"]);
    const { state } = (await host().store.sessions.load("default")) ?? {};
    expect(JSON.stringify(state)).not.toContain("Be brief.");
  });

  it("PSS-82 has nothing of a session or a run in memory alone: cut at each step, all of it ends as in one go", async () => {
    const whole = stand();
    const once = whole.request();
    const runs = [];
    for (const input of INPUTS) runs.push(await once.send(input));
    for (const run of runs) await run.result();
    const expected = await storedBy(
      whole,
      runs.map(({ runId }) => runId),
    );
    expect(expected.open).toEqual([]);

    const cut = stand();
    const runIds = [];
    for (const input of INPUTS) runIds.push(await cut.request().session("default").schedule(input));
    const statuses: string[] = [];
    for (const runId of runIds)
      for (let status = "suspended"; status === "suspended" && statuses.length < 20; statuses.push(status)) {
        const run = await cut.request().resume(runId, { maxSteps: 1 });
        status = (await run?.result())?.status ?? "null";
      }
    const pieces = ["suspended", "suspended", "completed", "suspended", "completed", "completed"];
    expect(statuses).toEqual(pieces);
    expect(await storedBy(cut, runIds)).toEqual(expected);
  });
});

describe("PSS-83 the contract of an execution store, over the storage of a Durable Object", () => {
  const ports = handPorts();
  const open = () => objectHost(new ObjectStorage(), ports);
  const cases = executionStoreConformance(open, { pass: (ms) => ports.pass(ms), patienceMs: 3_000 });
  it.each(cases)("$name", ({ run }) => run());
});
