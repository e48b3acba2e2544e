import { describe, expect, it } from "vitest";
import { createRuntime, type AgentDefinition, type Plan } from "../../../src/core/index.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import "../../../src/entry/vitest.js";
import { refusal } from "../../support/refusal.js";
import { ask, say } from "../../support/script.js";
import { lookupRun, record } from "../vitest/runs.js";

const agent = (id: string, provider: AgentDefinition["provider"], budget?: AgentDefinition["budget"]) => ({
  id,
  systemPrompt: "",
  provider,
  ...(budget === undefined ? {} : { budget }),
});
const asking = { turn: async () => ask([{ name: "lookup" }]) };

describe("toFinishWith", () => {
  it("knows why the model stopped last, in a run and in its cassette", async () => {
    const { result, cassette, recorder } = await record([
      ask([{ name: "lookup" }]),
      say("cut", { stopReason: "length" }),
    ]);
    for (const received of [result, cassette, recorder]) {
      expect(received).toFinishWith("length");
      expect(received).not.toFinishWith("stop");
      expect(received).toFinishWith({ reason: "length", answer: "cut" });
      expect(received).toFinishWith({ answer: expect.stringContaining("u") });
      expect(received).not.toFinishWith({ answer: "cu" });
      expect(received).not.toFinishWith({ reason: "length", answer: "other" });
    }
  });

  it("knows of a run which agent answered, and that a cap or a met visit limit ended it", async () => {
    const { result } = await lookupRun();
    expect(result).toFinishWith({ agent: "a", reason: "stop", answer: "sunny" });
    expect(result).not.toFinishWith({ agent: "b" });
    const capped = await createRuntime({ agents: [agent("a", asking, { maxTurns: 1 })] }).run({ goal: "go" });
    expect(capped).toFinishWith("budget");
    expect(capped).not.toFinishWith("toolUse");
    const plan: Plan = { entry: "a", edges: [{ from: "a", to: "a" }], exits: [] };
    const again = { turn: async () => say("again") };
    const cycled = await createRuntime({ agents: [agent("a", again)], maxAgentVisits: 2 }).run({ goal: "go", plan });
    expect(cycled).toFinishWith("cycle");
    expect(cycled).not.toFinishWith("stop");
  });

  it("says what is otherwise, and gives both sides of it", async () => {
    const { result } = await lookupRun();
    const wanted = { reason: "length", answer: "sunny", agent: "b" } as const;
    expect(refusal(() => expect(result).toFinishWith(wanted))).toMatchObject({
      message: [
        'expected the run to finish with reason "length", answer "sunny", agent "b", but its reason is "stop", its agent is "a".',
        "Correct the expectation, or the prompt, budget or plan that led to this end.",
      ].join("\n"),
      expected: { reason: "length", agent: "b" },
      actual: { reason: "stop", agent: "a" },
    });
    expect(refusal(() => expect(result).not.toFinishWith("stop"))).toMatchObject({
      message: expect.stringContaining('expected the run not to finish with reason "stop", but it does.'),
    });
  });

  it("fails either way for what nobody knows", async () => {
    const { result, cassette } = await lookupRun();
    for (const assertion of [expect(cassette), expect(cassette).not]) {
      expect(refusal(() => assertion.toFinishWith({ agent: "a" }))).toMatchObject({
        message: expect.stringContaining("but its agent is unknown."),
      });
    }
    const lossy = { ...result, events: result.events.slice(0, 2), droppedEvents: 4 };
    for (const assertion of [expect(lossy), expect(lossy).not]) {
      expect(refusal(() => assertion.toFinishWith("stop"))).toMatchObject({
        message: expect.stringContaining("but its reason is unknown."),
      });
    }
  });

  it.each<[string, unknown[]]>([
    ["nothing", []],
    ["an answer in place of a reason", ["sunny"]],
    ["an empty object", [{}]],
    ["a field it does not know", [{ stop: "stop" }]],
    ["an answer that is undefined", [{ answer: undefined }]],
    ["a reason that is a matcher", [{ reason: expect.any(String) }]],
    ["a number", [1]],
    ["two reasons", ["stop", "length"]],
  ])("refuses %s, also under .not", async (_what, args) => {
    const { result } = await lookupRun();
    for (const assertion of [expect(result), expect(result).not]) {
      expect(refusal(() => Reflect.apply(assertion.toFinishWith, assertion, args))).toMatchObject({
        code: "matcher-misuse",
        message: expect.stringContaining("budget, cycle"),
      });
    }
  });
});

describe("toExhaustBudget", () => {
  it.each([
    ["turns", { maxTurns: 1 }],
    ["toolCalls", { maxToolCalls: 0 }],
    ["tokens", { maxTokens: 0 }],
    ["costUsd", { maxCostUsd: 0 }],
  ] as const)("sees that the cap of %s ended the run", async (cap, budget) => {
    const result = await createRuntime({ agents: [agent("a", asking, budget)] }).run({ goal: "go" });
    expect(result).toExhaustBudget();
    expect(result).toExhaustBudget(cap);
    expect(result).not.toExhaustBudget(cap === "turns" ? "tokens" : "turns");
  });

  it("sees the cap of an agent that was not the last", async () => {
    const agents = [agent("a", asking, { maxTurns: 1 }), agent("b", scriptedProvider([say("done")]))];
    const plan: Plan = { entry: "a", edges: [{ from: "a", to: "b" }], exits: ["b"] };
    const result = await createRuntime({ agents }).run({ goal: "go", plan });
    expect(result.budgetExhausted).toBeUndefined();
    expect(result).toExhaustBudget("turns");
    expect(refusal(() => expect(result).not.toExhaustBudget())).toMatchObject({
      message: expect.stringContaining("but agent a reached its turns cap of 1."),
    });
  });

  it("says which caps were reached, if any", async () => {
    const { result } = await lookupRun();
    expect(refusal(() => expect(result).toExhaustBudget())).toMatchObject({
      message: expect.stringContaining("expected the run to reach a cap of its budget, but no agent reached a cap."),
    });
    const capped = await createRuntime({ agents: [agent("a", asking, { maxTurns: 1 })] }).run({ goal: "go" });
    expect(refusal(() => expect(capped).toExhaustBudget("tokens"))).toMatchObject({
      message: expect.stringContaining("to reach its tokens cap, but agent a reached its turns cap."),
    });
  });

  it("refuses a value that is not a cap or not a run, also under .not", async () => {
    const { result, cassette } = await lookupRun();
    const refused = (received: unknown, args: readonly unknown[]) => {
      for (const assertion of [expect(received), expect(received).not]) {
        expect(refusal(() => Reflect.apply(assertion.toExhaustBudget, assertion, args))).toMatchObject({
          code: "matcher-misuse",
        });
      }
    };
    for (const args of [["usd"], [undefined], ["turns", "tokens"], [1]]) refused(result, args);
    for (const received of [cassette, undefined, {}, result.visits[0]]) refused(received, []);
  });
});
