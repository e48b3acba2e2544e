import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { hashBundle } from "../../../src/cassette/bundle/check.js";
import type { AgentBundle, PlanLike, RunLike } from "../../../src/cassette/bundle/format.js";
import { replayAgents, type AgentReplayOptions } from "../../../src/cassette/bundle/replay.js";
import { PLAN, RESULT, runChain, trio, trioBundle } from "../../support/bundles.js";
import { verifyKept } from "../../support/oracle.js";
import { draft } from "../../support/recording.js";
import { refusal, rejection } from "../../support/refusal.js";

afterAll(verifyKept);

let recorded: AgentBundle;
beforeAll(async () => void (recorded = await trioBundle()));

/** The definitions as a test has them that holds no key: without a provider. */
const definitions = trio().map(({ provider: _provider, ...rest }) => rest);
const replay = (options: AgentReplayOptions = {}) => replayAgents(recorded, definitions, { plan: PLAN, ...options });

async function replayed(goal = "Umbrella?", ids: readonly string[] = ["researcher", "actor"]) {
  const { agents, finish } = replay();
  return { finish, ...(await runChain(agents, ids, goal)) };
}

describe("replayAgents", () => {
  it("PLK-103 answers every agent from its own cassette", async () => {
    const { finalAnswer, finish, result } = await replayed();
    expect(finalAnswer).toBe("Umbrella packed.");
    expect(() => finish(result)).not.toThrow();
  });

  it("asks no provider that the agents still have", async () => {
    const never = {
      turn: () => {
        throw new Error("asked");
      },
    };
    const agents = trio({ researcher: never, actor: never, reviewer: never });
    const { agents: wrapped, finish } = replayAgents(recorded, agents, { plan: PLAN });
    finish((await runChain(wrapped, ["researcher", "actor"], "Umbrella?")).result);
  });

  it("PLK-111 refuses the turn of an agent whose prompt differs", async () => {
    expect(await rejection(replayed("Sunscreen?"))).toMatchObject({ code: "prompt-changed" });
  });

  it("passes strict and requireIntegrity on to every agent", async () => {
    const { agents, finish } = replay({ strict: false, requireIntegrity: true });
    const { result } = await runChain(agents, ["researcher", "actor"], "Sunscreen?");
    expect(() => finish(result)).not.toThrow();
  });

  it("tells an agent that was never asked from one that was, at its first turn", async () => {
    expect(await rejection(replayed("Umbrella?", ["reviewer"]))).toMatchObject({
      code: "exhausted",
      summary: 'agent "reviewer" has no cassette: it made no model call in the recorded run, and now makes one',
    });
  });

  it("refuses an option nobody reads", () => {
    expect(refusal(() => replay({ stirct: true } as never))).toMatchObject({ code: "invalid-options" });
  });

  it("refuses a bundle that was changed, and a cassette under another name", () => {
    const edited = { ...recorded, bundle: { ...recorded.bundle, path: ["actor", "researcher"] } };
    expect(refusal(() => replayAgents(edited, definitions, { plan: PLAN }))).toMatchObject({ code: "bundle-hash" });
    const { researcher, actor } = recorded.cassettes;
    const swapped = { ...recorded, cassettes: { researcher: actor, actor: researcher } } as AgentBundle;
    expect(refusal(() => replayAgents(swapped, definitions, { plan: PLAN }))).toMatchObject({
      code: "bundle-mismatch",
      pointer: "/agentId",
    });
  });
});

describe("replayAgents, before the run, refuses", () => {
  it("an agent that is missing, also one that was never asked", () => {
    const two = definitions.slice(0, 2);
    expect(refusal(() => replayAgents(recorded, two, { plan: PLAN }))).toMatchObject({
      code: "plan-changed",
      summary: expect.stringContaining('agent "reviewer" was recorded, but is not among the agents') as string,
    });
  });

  it("an agent that was not recorded", () => {
    const four = [...definitions, { id: "bob" }];
    expect(refusal(() => replayAgents(recorded, four, { plan: PLAN }))).toMatchObject({
      code: "plan-changed",
      summary: expect.stringContaining('agent "bob" is among the agents, but was not recorded') as string,
    });
  });

  const [first, second] = PLAN.edges as [PlanLike["edges"][number], PlanLike["edges"][number]];
  it.each<[string, PlanLike | undefined, string]>([
    ["no plan", undefined, "the recorded run followed a plan, and this one does not"],
    ["another entry", { ...PLAN, entry: "actor" }, 'the entry was "researcher" and is "actor"'],
    [
      "an edge less",
      { ...PLAN, edges: [first] },
      'edge 1 was "researcher" → "actor" without a condition and is absent',
    ],
    ["an edge more", { ...PLAN, edges: [...PLAN.edges, second] }, "edge 2 was absent and is"],
    ["edges in another order", { ...PLAN, edges: [second, first] }, 'edge 0 was "researcher" → "reviewer" with a'],
    [
      "an edge without its condition",
      { ...PLAN, edges: [{ from: first.from, to: first.to }, second] },
      'edge 0 was "researcher" → "reviewer" with a condition and is "researcher" → "reviewer" without a condition',
    ],
    ["an exit less", { ...PLAN, exits: ["actor"] }, '"reviewer" is no longer an exit'],
    ["an exit more", { ...PLAN, exits: [...PLAN.exits, "researcher"] }, '"researcher" is now an exit'],
  ])("%s", (_what, plan, words) => {
    const options = plan === undefined ? {} : { plan };
    expect(refusal(() => replayAgents(recorded, definitions, options))).toMatchObject({
      code: "plan-changed",
      summary: expect.stringContaining(words) as string,
    });
  });

  it("a plan where the recorded run had none", () => {
    const { plan: _plan, ...rest } = recorded.bundle;
    const bundle = { ...rest, bundleHash: hashBundle(rest as typeof recorded.bundle) };
    const planless = { bundle: { ...bundle, bundleHash: hashBundle(bundle) }, cassettes: recorded.cassettes };
    expect(() => replayAgents(planless, definitions)).not.toThrow();
    expect(refusal(() => replayAgents(planless, definitions, { plan: PLAN }))).toMatchObject({
      summary: expect.stringContaining("the recorded run had no plan, and this one has a plan") as string,
    });
  });

  it("nothing for exits in another order", () => {
    expect(() => replay({ plan: { ...PLAN, exits: ["reviewer", "actor"] } })).not.toThrow();
  });
});

describe("finish", () => {
  const visits = (...ids: string[]) => ids.map((agentId) => ({ agentId }));
  it.each<[string, RunLike, string]>([
    [
      "another way",
      { ...RESULT, visits: visits("researcher", "reviewer") },
      'step 1: the run entered "reviewer", the recorded one "actor"',
    ],
    [
      "a shorter way",
      { ...RESULT, visits: visits("researcher") },
      'step 1: the run was over, where the recorded one entered "actor"',
    ],
    [
      "a longer way",
      { ...RESULT, visits: visits("researcher", "actor", "researcher") },
      'step 2: the run entered "researcher", where the recorded one was over',
    ],
    [
      "a stranger",
      { ...RESULT, visits: visits("bob") },
      'step 0: the run entered "bob", the recorded one "researcher"',
    ],
    [
      "another end",
      { ...RESULT, ended: { kind: "no-edge" } },
      "the run ended where no edge matched, the recorded one at an exit",
    ],
    [
      "a circle",
      { ...RESULT, ended: { kind: "cycle", agentId: "actor", limit: 8 } },
      'the run ended at the limit of 8 visits of "actor", the recorded one at an exit',
    ],
  ])("refuses %s and names it", async (_what, result, words) => {
    const { finish } = await replayed();
    expect(refusal(() => finish(result))).toMatchObject({
      code: "path-changed",
      summary: `the run is not the recorded one: ${words}`,
    });
  });

  it("refuses a run that left turns of any agent over, and counts them", async () => {
    const { finish } = await replayed("Umbrella?", ["researcher"]);
    expect(refusal(() => finish(RESULT))).toMatchObject({
      code: "unconsumed",
      summary: 'recorded turns were not used: 1 of 1 of agent "actor"',
    });
    expect(refusal(() => replay().finish(RESULT))).toMatchObject({
      summary: 'recorded turns were not used: 2 of 2 of agent "researcher", 1 of 1 of agent "actor"',
    });
  });

  it("refuses a value that is not a result", () => {
    expect(refusal(() => replay().finish({} as never))).toMatchObject({ code: "invalid-options" });
  });

  it("tells cycles apart by agent and limit", () => {
    const end = { kind: "cycle", agentId: "actor", limit: 8 } as const;
    const circled = draft(recorded);
    circled.bundle.ended = { ...end };
    circled.bundle.bundleHash = hashBundle(circled.bundle);
    const { finish } = replayAgents(circled, definitions, { plan: PLAN });
    const finishWith = (ended: RunLike["ended"]) => refusal(() => finish({ ...RESULT, ended }));
    expect(finishWith({ ...end, limit: 9 })).toMatchObject({ code: "path-changed" });
    expect(finishWith({ ...end, agentId: "researcher" })).toMatchObject({ code: "path-changed" });
    expect(finishWith(end)).toMatchObject({ code: "unconsumed" });
  });
});
