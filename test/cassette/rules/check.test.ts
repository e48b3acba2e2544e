import { describe, expect, it } from "vitest";
import { MAX_BREAKS_PER_RULE } from "../../../src/cassette/limits.js";
import { checkRules, checkTurns, type RuledTurn } from "../../../src/cassette/rules/check.js";
import type { Rule, RuleSet } from "../../../src/cassette/rules/format.js";
import { checkRuleSet } from "../../../src/cassette/rules/read.js";
import type { JsonObject } from "../../../src/core/index.js";
import { refusal } from "../../support/refusal.js";
import { call, runOf, stepsOf } from "../diff/runs.js";

const rules = (...list: Rule[]): RuleSet => checkRuleSet({ rulesVersion: 1, rules: list });
const rule = (body: object): RuleSet => rules({ id: "r", ...body } as Rule);
const callAt = (turn: number, index = 0) => `/entries/${turn}/response/message/toolCalls/${index}`;

describe("never", () => {
  it("is broken by each such call, at its place", () => {
    const run = runOf([{ calls: [call("read"), call("delete", { path: "a" })] }, { calls: [call("delete")] }]);
    expect(checkRules(run, rules({ id: "safe", never: "delete", reason: "It cannot be undone." }))).toEqual([
      {
        rule: "safe",
        kind: "never",
        state: "broken",
        turn: 0,
        pointer: callAt(0, 1),
        sentence: "delete was called at turn 0, but must never be called.",
        reason: "It cannot be undone.",
      },
      expect.objectContaining({ turn: 1, pointer: callAt(1) }),
    ]);
    expect(checkRules(stepsOf(call("read")), rule({ never: "delete" }))).toEqual([]);
  });

  it("takes a schema of the arguments it means, and means what cannot be checked", () => {
    const never = { tool: "pay", arguments: { properties: { amount: { minimum: 100 } }, required: ["amount"] } };
    const run = runOf([
      {
        calls: [
          call("pay", { amount: 5 }),
          call("pay", { amount: 500 }),
          { ...call("pay"), malformedArguments: "{amount" },
          call("tip", { amount: 500 }),
        ],
      },
    ]);
    const found = checkRules(run, rule({ never }));
    expect(found.map(({ pointer }) => pointer)).toEqual([callAt(0, 1), callAt(0, 2)]);
    expect(found[0]?.sentence).toBe("pay with such arguments was called at turn 0, but must never be called.");
  });
});

describe("before", () => {
  const before = rule({ before: { first: "search", then: "book" } });

  it("is kept by an earlier turn, for every later call", () => {
    expect(checkRules(stepsOf(call("search"), call("book"), call("book")), before)).toEqual([]);
    expect(checkRules(stepsOf(call("search")), before)).toEqual([]);
  });

  it("is broken by a call without one, and by one of the same turn", () => {
    expect(checkRules(stepsOf(call("book"), call("search"), call("book")), before)).toMatchObject([
      { turn: 0, sentence: "book was called at turn 0, but search was not called in an earlier turn." },
    ]);
    expect(checkRules(runOf([{ calls: [call("search"), call("book")] }]), before)).toHaveLength(1);
  });

  it("does not count an earlier call that may be another than the rule means", () => {
    const narrow = rule({ before: { first: { tool: "search", arguments: { required: ["q"] } }, then: "book" } });
    const run = (first: object) => stepsOf({ ...call("search", { q: "x" }), ...first }, call("book"));
    expect(checkRules(run({}), narrow)).toEqual([]);
    expect(checkRules(run({ malformedArguments: "{q" }), narrow)).toHaveLength(1);
  });
});

describe("atMost and atLeast", () => {
  it("count the calls of a run", () => {
    const run = stepsOf(call("pay"), call("read"), call("pay"), call("pay"));
    expect(checkRules(run, rule({ atMost: { call: "pay", times: 3 } }))).toEqual([]);
    expect(checkRules(run, rule({ atMost: { call: "pay", times: 1 } }))).toMatchObject([
      { turn: 2, pointer: callAt(2), sentence: "pay was called at turn 2, which is call 2 of at most 1." },
      { turn: 3, sentence: "pay was called at turn 3, which is call 3 of at most 1." },
    ]);
    expect(checkRules(run, rule({ atLeast: { call: "pay", times: 3 } }))).toEqual([]);
    expect(checkRules(run, rule({ atLeast: { call: "pay", times: 4 } }))).toMatchObject([
      {
        turn: 3,
        pointer: "/entries",
        sentence: "pay was called 3 times in the whole run, but must be called at least 4 times.",
      },
    ]);
    expect(checkRules(runOf([]), rule({ atLeast: { call: "pay", times: 1 } }))).toMatchObject([
      { turn: 0, sentence: "pay was never called in the whole run, but must be called at least once." },
    ]);
  });
});

describe("a pattern", () => {
  it("takes no time that the model's text decides", () => {
    const slow = rule({ never: { tool: "pay", arguments: { properties: { note: { pattern: "^(a+)+$" } } } } });
    const hostile = `${"a".repeat(40)}!`;
    expect(checkRules(stepsOf(call("pay", { note: hostile })), slow)).toEqual([]);
    expect(checkRules(stepsOf(call("pay", { note: "aaa" })), slow)).toHaveLength(1);
  });

  it("that no bounded search can run is refused when the rules are read", () => {
    const rules = [{ id: "r", never: { tool: "pay", arguments: { properties: { note: { pattern: "(a)\\1" } } } } }];
    const error = refusal(() => checkRuleSet({ rulesVersion: 1, rules })) as Error;
    expect(error).toMatchObject({ code: "rules-malformed", pointer: "/rules/0/never/arguments" });
    expect(error.message).toContain("it has a back reference");
    const loop = [{ id: "r", arguments: { tool: "pay", schema: { $ref: "#" } } }];
    expect((refusal(() => checkRuleSet({ rulesVersion: 1, rules: loop })) as Error).message).toContain(
      "leads back to itself",
    );
  });
});

describe("arguments", () => {
  const euro = rule({ arguments: { tool: "pay", schema: { properties: { currency: { const: "EUR" } } } } });

  it("names the place in the arguments", () => {
    const run = stepsOf(call("pay", { currency: "EUR" }), call("pay", { currency: "USD" }), call("tip"));
    expect(checkRules(run, euro)).toMatchObject([
      {
        turn: 1,
        pointer: `${callAt(1)}/arguments/currency`,
        sentence: expect.stringMatching(
          /^pay was called at turn 1 with arguments that the rule does not allow: .* \(at \/currency\)\.$/,
        ),
      },
    ]);
  });

  it("is broken by arguments that are not an object, and by those too large to be checked", () => {
    const found = checkRules(stepsOf({ ...call("pay"), malformedArguments: "oops" }), euro);
    expect(found).toMatchObject([
      { pointer: `${callAt(0)}/arguments`, sentence: expect.stringContaining("not a JSON object") },
    ]);
    const large: JsonObject = { list: Array<number>(100_001).fill(0) };
    expect(checkRules(stepsOf(call("pay", large)), euro)).toMatchObject([
      { sentence: expect.stringContaining("more than 100000 values") },
    ]);
  });
});

describe("within", () => {
  const turn = (figures: Omit<RuledTurn, "message">, calls = 0): RuledTurn => ({
    message: { toolCalls: Array.from({ length: calls }, (_, index) => ({ id: `${index}`, ...call("read") })) },
    ...figures,
  });
  const paid = (tokens: number, costUsd: number, calls = 0) =>
    turn({ usage: { inputTokens: tokens - 1, outputTokens: 1 }, costUsd }, calls);

  it("is kept by what is just the limit", () => {
    const limits = { maxTokens: 20, maxCostUsd: 0.3, maxTurns: 2, maxCalls: 3 };
    expect(checkTurns([paid(10, 0.1, 1), paid(10, 0.2, 2)], rule({ within: limits }))).toEqual([]);
  });

  it("is broken once for each limit, where it is crossed", () => {
    const limits = { maxTokens: 19, maxCostUsd: 0.2, maxTurns: 1, maxCalls: 1 };
    const found = checkTurns([paid(10, 0.1), paid(10, 0.2, 3), paid(10, 0.1, 1)], rule({ within: limits }));
    expect(found.map(({ turn: at, pointer, sentence }) => [at, pointer, sentence])).toEqual([
      [1, "/entries/1", "At turn 1 the run reached 2 turns, but the limit is 1."],
      [1, "/entries/1", "At turn 1 the run reached 20 tokens, but the limit is 19."],
      [1, "/entries/1", "At turn 1 the run reached 0.3 USD, but the limit is 0.2."],
      [1, callAt(1, 1), "Turn 1 made call 2 of the run, but the limit is 1."],
    ]);
  });

  it("holds a limit on cost against the list prices, where a turn says model and tokens and no cost", () => {
    // 2.5 USD for a million tokens in.
    const run = [turn({ model: "gpt-4o", usage: { inputTokens: 1_000_000, outputTokens: 0 } })];
    expect(checkTurns(run, rule({ within: { maxCostUsd: 2.5 } }))).toEqual([]);
    expect(checkTurns(run, rule({ within: { maxCostUsd: 2.4 } }))).toMatchObject([{ turn: 0 }]);
  });

  it("says that it does not know, and lets that pass only where it is allowed", () => {
    const within = { maxTokens: 100, maxCostUsd: 1 };
    const run = [paid(10, 0.1), turn({ costUsd: 0.1 }), turn({})];
    expect(checkTurns(run, rule({ within }))).toMatchObject([
      {
        state: "unknown",
        turn: 1,
        pointer: "/entries/1/response",
        sentence:
          "Turn 1 does not report its tokens, so the limit of 100 tokens cannot be checked. Set allowUnknown to accept this.",
      },
      { state: "unknown", turn: 2, sentence: expect.stringContaining("does not report its cost") },
    ]);
    expect(checkTurns(run, rule({ within, allowUnknown: true }))).toEqual([]);
  });

  it("is broken by what is known already, whatever is not", () => {
    const run = [turn({}), paid(10, 0.1)];
    const found = (allowUnknown: boolean) => checkTurns(run, rule({ within: { maxTokens: 9 }, allowUnknown }));
    expect(found(false)).toMatchObject([{ state: "broken", turn: 1 }]);
    expect(found(true)).toEqual(found(false));
  });
});

describe("what is found", () => {
  it("is listed up to a limit, and the rest counted", () => {
    const run = stepsOf(...Array.from({ length: MAX_BREAKS_PER_RULE + 7 }, () => call("x")));
    const found = checkRules(run, rules({ id: "a", never: "x" }, { id: "b", atLeast: { call: "y", times: 1 } }));
    expect(found).toHaveLength(MAX_BREAKS_PER_RULE + 1);
    expect(found[MAX_BREAKS_PER_RULE - 1]).toMatchObject({ rule: "a", more: 7 });
    expect(found.at(-1)).toMatchObject({ rule: "b" });
  });

  it("shows a strange name in quotes, with nothing in it that acts on a terminal", () => {
    const name = "\u001b[2J x";
    const [found] = checkRules(stepsOf(call(name)), rule({ never: name }));
    expect(found?.sentence).toBe('"\\u001b[2J x" was called at turn 0, but must never be called.');
  });

  it("comes from rules as an object too, which are checked first", () => {
    const own = { rules: [{ id: "r", never: "x" }] };
    expect(checkRules(stepsOf(call("x")), own)).toHaveLength(1);
    own.rules[0] = { id: "r", never: "y" };
    expect(checkRules(stepsOf(call("x")), own)).toEqual([]);
    const wrong = { rules: [{ id: "r", nevr: "x" }] } as unknown as RuleSet;
    expect(refusal(() => checkRules(stepsOf(call("x")), wrong))).toMatchObject({ code: "rules-malformed" });
  });
});
