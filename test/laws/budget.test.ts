// The budget against a model of it: a script of random turns is played under random caps, and what the loop did is compared
// with what a plain count says it should have done.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { BudgetCap, BudgetLimits } from "../../src/core/loop/budget.js";
import type { LlmTurnResponse } from "../../src/core/model/provider.js";
import { toMicroCents } from "../../src/core/model/usage.js";
import { budgetLimits } from "../../src/harness/arbitraries/budgets.js";
import { playLoop, type LoopRun } from "../support/loop.js";
import { ask, say, tool } from "../support/script.js";

interface ScriptedTurn {
  calls: ("good" | "missing")[];
  inputTokens: number;
  outputTokens: number;
  /** Cents, so that a cap is met exactly now and then; undefined when the vendor reports no price. */
  cents: number | undefined;
}

const scriptedTurn: fc.Arbitrary<ScriptedTurn> = fc.record({
  calls: fc.array(fc.constantFrom("good" as const, "good" as const, "missing" as const), { maxLength: 5 }),
  inputTokens: fc.nat(20),
  outputTokens: fc.nat(20),
  cents: fc.option(fc.nat(60), { nil: undefined }),
});

const limits = budgetLimits();

const good = tool("good", () => "ok");

async function play(turns: readonly ScriptedTurn[], caps: BudgetLimits): Promise<LoopRun> {
  // A last answer, so that a run which no cap ends does end.
  return playLoop({ steps: [...turns.map(toResponse), say("done")], tools: [good], limits: caps });
}

describe("a budget", () => {
  it("does what a plain count says, for any turns and any caps", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(scriptedTurn, { maxLength: 12 }), limits, async (turns, caps) => {
        const { stop, error, events } = await play(turns, caps);
        const expected = expectation(turns, caps);
        expect(error).toBeUndefined();
        expect(stop?.kind === "budget" ? stop.cap : undefined).toBe(expected.cap);
        expect(count(events, "llm-turn")).toBe(expected.turns);
        expect(count(events, "tool-call")).toBe(expected.toolCalls);
      }),
      { numRuns: 1_000 },
    );
  });

  it("is never exceeded in turns or tool calls", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(scriptedTurn, { maxLength: 12 }), limits, async (turns, caps) => {
        const { events } = await play(turns, caps);
        expect(count(events, "llm-turn")).toBeLessThanOrEqual(caps.maxTurns ?? 50);
        expect(count(events, "tool-call")).toBeLessThanOrEqual(caps.maxToolCalls ?? 200);
      }),
      { numRuns: 500 },
    );
  });

  it("is overshot in tokens and cost by one answer at most", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(scriptedTurn, { maxLength: 12 }), limits, async (turns, caps) => {
        const { events } = await play(turns, caps);
        const answers = events.flatMap((event) => (event.type === "llm-turn" ? [event] : []));
        const before = answers.slice(0, -1);
        const tokens = sum(before.map(({ usage }) => (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)));
        const cost = sum(before.map(({ costUsd }) => toMicroCents(costUsd ?? 0)));
        if (answers.length === 0) return;
        expect(tokens).toBeLessThan(caps.maxTokens ?? Infinity);
        if (before.some(({ costUsd }) => costUsd !== undefined)) {
          expect(cost).toBeLessThan(toMicroCents(caps.maxCostUsd ?? Infinity));
        }
      }),
      { numRuns: 500 },
    );
  });

  it("is reported exhausted exactly once, last, with its cap and limit, and only then", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(scriptedTurn, { maxLength: 12 }), limits, async (turns, caps) => {
        const { stop, events } = await play(turns, caps);
        const reports = events.filter(({ type }) => type === "budget-exhausted");
        expect(reports).toHaveLength(stop?.kind === "budget" ? 1 : 0);
        if (stop?.kind !== "budget") return;
        const limit = limitOf(stop.cap, caps);
        expect(events.at(-1)).toMatchObject({ type: "budget-exhausted", cap: stop.cap, limit });
      }),
      { numRuns: 500 },
    );
  });
});

/** Characters of "go" and of the one tool's name, description and schema. */
const OPENING = 2 + 4 + "Does good.".length + '{"type":"object"}'.length;
/** Characters of an asked call and of its answer. */
const CALL = { good: "good{}".length, missing: "missing{}".length };
const ANSWER = { good: "goodok".length, missing: "missingtool unavailable".length };

/** What should happen, counted without looking at how the budget does it. */
function expectation(turns: readonly ScriptedTurn[], caps: BudgetLimits) {
  const { maxTurns = 50, maxToolCalls = 200, maxTokens = Infinity, maxCostUsd = Infinity } = caps;
  const maxCents = Math.round(maxCostUsd * 100);
  let [tokens, cents, toolCalls] = [0, 0, 0];
  let priced = maxCents === 0;
  // The last turn that reported a prompt, and the characters that came after it.
  let [known, fresh] = [0, OPENING];
  let price: { cents: number; units: number } | undefined;
  for (let turn = 0; ; turn++) {
    const done = { turns: turn, toolCalls };
    if (turn >= maxTurns) return { ...done, cap: "turns" as BudgetCap };
    if (tokens >= maxTokens) return { ...done, cap: "tokens" as BudgetCap };
    if (priced && cents >= maxCents) return { ...done, cap: "costUsd" as BudgetCap };
    if (turn === 0 || turns.slice(0, turn).some(({ inputTokens }) => inputTokens > 0)) {
      const prompt = known + Math.ceil(fresh / 4);
      if (tokens + prompt > maxTokens) return { ...done, cap: "tokens" as BudgetCap };
      // In whole numbers, so that meeting the cap exactly is seen as that.
      if (price !== undefined && prompt * price.cents > (maxCents - cents) * price.units) {
        return { ...done, cap: "costUsd" as BudgetCap };
      }
    }
    const next = turns[turn];
    if (next === undefined || next.calls.length === 0) return { turns: turn + 1, toolCalls, cap: undefined };
    tokens += next.inputTokens + next.outputTokens;
    cents += next.cents ?? 0;
    priced ||= next.cents !== undefined;
    if (next.inputTokens > 0) {
      [known, fresh] = [next.inputTokens + next.outputTokens, 0];
      const units = next.inputTokens + 5 * next.outputTokens;
      if (next.cents !== undefined) price = { cents: next.cents, units };
    } else fresh += sum(next.calls.map((name) => CALL[name]));
    fresh += sum(next.calls.map((name) => ANSWER[name]));
    const allowed = Math.min(next.calls.length, maxToolCalls - toolCalls);
    toolCalls += allowed;
    if (allowed < next.calls.length) return { turns: turn + 1, toolCalls, cap: "toolCalls" as BudgetCap };
  }
}

function toResponse({ calls, inputTokens, outputTokens, cents }: ScriptedTurn): LlmTurnResponse {
  const extra = { usage: { inputTokens, outputTokens }, ...(cents === undefined ? {} : { costUsd: cents / 100 }) };
  return calls.length === 0
    ? say("early", extra)
    : ask(
        calls.map((name) => ({ name })),
        extra,
      );
}

function limitOf(cap: BudgetCap, caps: BudgetLimits): number {
  const { maxTurns = 50, maxToolCalls = 200, maxTokens = Infinity, maxCostUsd = Infinity } = caps;
  return { turns: maxTurns, toolCalls: maxToolCalls, tokens: maxTokens, costUsd: maxCostUsd }[cap];
}

function count(events: LoopRun["events"], type: string): number {
  return events.filter((event) => event.type === type).length;
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, number) => total + number, 0);
}
