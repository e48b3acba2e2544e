import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { checkRules, parseRules, recordingProvider, type Rule, type RuleSet } from "../../../src/cassette/index.js";
import { createRuntime, ToolPolicyError, type AgentDefinition, type LlmTurnResponse } from "../../../src/core/index.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { enforceRules, rulesPolicy } from "../../../src/harness/index.js";
import type { RulesPolicyOptions } from "../../../src/harness/rules/policy.js";
import type { LiveBreak } from "../../../src/harness/rules/policy.js";
import { recordedCassette, verifyKept } from "../../support/oracle.js";
import { refusal } from "../../support/refusal.js";
import { ask, say, tool } from "../../support/script.js";

afterAll(verifyKept);

const rules = (...list: Rule[]): RuleSet => parseRules(JSON.stringify({ rulesVersion: 1, rules: list }));
const NAMES = ["search", "book", "pay"];

/** An agent on `steps` under rules, recorded; `ran` are the tools that ran. */
async function play(steps: readonly LlmTurnResponse[], set: RuleSet, options: RulesPolicyOptions = {}) {
  const ran: string[] = [];
  const breaks: LiveBreak[] = [];
  const recorder = recordingProvider(scriptedProvider(steps));
  const agent: AgentDefinition = {
    id: "clerk",
    systemPrompt: "Be brief.",
    provider: recorder,
    customTools: NAMES.map((name) => tool(name, () => (ran.push(name), "ok"))),
  };
  const watched = { onBreak: (broken: LiveBreak) => void breaks.push(broken), ...options };
  const runtime = createRuntime({ agents: [enforceRules(agent, set, watched)] });
  const end = await runtime.run({ goal: "go" }).then(
    (result) => ({ result }),
    (error: unknown) => ({ error }),
  );
  return { ...end, ran, breaks, recorder, runtime };
}

const unpaid = rules({ id: "unpaid", never: "pay", reason: "Ask a person." });

describe("a live run under rules", () => {
  it("ends at the call that breaks one, before the tool runs, at the place that its recording has", async () => {
    const run = await play([ask([{ name: "search" }]), ask([{ name: "book" }, { name: "pay" }]), say("done")], unpaid);
    expect(run).toMatchObject({
      error: {
        code: "tool-denied",
        message:
          'the rule "unpaid" is broken: pay was called at turn 1, but must never be called. Ask a person. (at /entries/1/response/message/toolCalls/1)',
      },
    });
    expect((run as { error: unknown }).error).toBeInstanceOf(ToolPolicyError);
    expect(run.ran).toEqual(["search", "book"]);
    expect(run.breaks).toEqual(
      checkRules(recordedCassette(run.recorder), unpaid).map((broken) => ({ ...broken, agentId: "clerk" })),
    );
  });

  it("goes on where the call is only refused, and the model reads why", async () => {
    const run = await play([ask([{ name: "pay" }]), say("I may not.")], unpaid, { onBroken: "refuse" });
    expect(run).toMatchObject({ result: { finalAnswer: "I may not.", toolCalls: 1 }, ran: [] });
    expect(JSON.stringify(run)).toContain("must never be called. Ask a person.");
  });

  it("is another run each time", async () => {
    const once = rules({ id: "once", atMost: { call: "pay", times: 1 } });
    const run = await play([ask([{ name: "pay" }]), say("a"), ask([{ name: "pay" }]), say("b")], once);
    expect(await run.runtime.run({ goal: "again" })).toMatchObject({ finalAnswer: "b" });
    expect(run.breaks).toEqual([]);
  });

  it("stops at the limits of within as at any budget, the lower of both", async () => {
    const within = rules(
      { id: "small", within: { maxTurns: 2, maxCalls: 5 } },
      { id: "smaller", within: { maxCalls: 2, maxTokens: 1000, maxCostUsd: 1 } },
    );
    const agent = { id: "a", systemPrompt: "", provider: scriptedProvider([]), budget: { maxTokens: 10, maxTurns: 9 } };
    expect(enforceRules(agent, within).budget).toEqual({ maxTurns: 2, maxToolCalls: 2, maxTokens: 10, maxCostUsd: 1 });
    expect(enforceRules(agent, unpaid).budget).toEqual(agent.budget);
    const steps = [ask([{ name: "search" }]), ask([{ name: "search" }]), say("done")];
    expect(await play(steps, within)).toMatchObject({ result: { budgetExhausted: "turns", turns: 2 } });
  });

  it("lets no call of a turn too many run, without a budget too", async () => {
    const ran: string[] = [];
    const policy = rulesPolicy(rules({ id: "short", within: { maxTurns: 1 } }), { onBroken: "refuse" });
    const provider = scriptedProvider([
      ask([{ name: "search" }]),
      ask([{ name: "book" }, { name: "pay" }]),
      say("done"),
    ]);
    const customTools = NAMES.map((name) => tool(name, () => (ran.push(name), "ok")));
    const runtime = createRuntime({
      agents: [{ id: "a", systemPrompt: "", provider, customTools, policies: [policy] }],
    });
    await runtime.run({ goal: "go" });
    expect(ran).toEqual(["search"]);
  });

  it("finds what a check of its recording finds", async () => {
    const set = rules(
      { id: "a", before: { first: "search", then: "book" } },
      { id: "b", atMost: { call: "book", times: 2 } },
      { id: "c", never: { tool: "pay", arguments: { required: ["n"], properties: { n: { minimum: 2 } } } } },
      { id: "d", arguments: { tool: "search", schema: { properties: { n: { enum: [0, 1] } } } } },
      { id: "e", within: { maxCalls: 9 } },
    );
    const turn = fc.array(fc.record({ name: fc.constantFrom(...NAMES), arguments: fc.record({ n: fc.nat(3) }) }), {
      minLength: 1,
      maxLength: 3,
    });
    await fc.assert(
      fc.asyncProperty(fc.array(turn, { maxLength: 4 }), async (turns) => {
        const policy: LiveBreak[] = [];
        const recorder = recordingProvider(scriptedProvider([...turns.map((calls) => ask(calls)), say("done")]));
        const watch = rulesPolicy(set, { onBroken: "refuse", onBreak: (broken) => void policy.push(broken) });
        const customTools = NAMES.map((name) => tool(name, () => "ok"));
        await createRuntime({
          agents: [{ id: "a", systemPrompt: "", provider: recorder, customTools, policies: [watch] }],
        }).run({ goal: "go" });
        const live = policy.filter(
          ({ rule }, index) => rule !== "e" || policy.findIndex((other) => other.rule === "e") === index,
        );
        expect(live.map(({ agentId: _agentId, ...broken }) => broken)).toEqual(
          checkRules(recordedCassette(recorder), set),
        );
      }),
      { numRuns: 100 },
    );
  });
});

it("rulesPolicy refuses options and rules that cannot be meant", () => {
  expect(refusal(() => rulesPolicy(unpaid, { onbreak: 1 } as object))).toMatchObject({ code: "invalid-options" });
  expect(refusal(() => rulesPolicy(unpaid, { onBroken: "deny" } as object))).toMatchObject({ code: "rules-unclear" });
  expect(refusal(() => rulesPolicy({ rules: [] }))).toMatchObject({ code: "rules-malformed" });
});
