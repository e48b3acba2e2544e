import { stripVTControlCharacters } from "node:util";
import { hashEnvelope } from "../../../src/cassette/file/hashes.js";
import { describe, expect, it } from "vitest";
import { recordingProvider, type CassetteV2 } from "../../../src/cassette/index.js";
import { createRuntime, type RunResult } from "../../../src/core/index.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import "../../../src/entry/vitest.js";
import { recordedCassette } from "../../support/oracle.js";
import { refusal } from "../../support/refusal.js";
import { ask, say, tool } from "../../support/script.js";

const usage = { inputTokens: 100, outputTokens: 10 };
const call = [{ name: "lookup" }];

/** Two turns; the clock goes on by one at each look. */
async function spend(
  first: { usage?: typeof usage; costUsd?: number },
  second: { usage?: typeof usage; costUsd?: number },
): Promise<{ result: RunResult; cassette: CassetteV2 }> {
  const provider = recordingProvider(scriptedProvider([ask(call, first), say("done", second)]));
  const customTools = [tool("lookup", () => "ok")];
  let time = 1_000;
  const runtime = createRuntime({
    agents: [{ id: "a", provider, systemPrompt: "", customTools }],
    ports: { now: () => (time += 5) },
  });
  return { result: await runtime.run({ goal: "go" }), cassette: recordedCassette(provider) };
}

const priced = () => spend({ usage, costUsd: 0.1 }, { usage, costUsd: 0.2 });
const failure = (run: () => unknown) => stripVTControlCharacters((refusal(run) as Error).message);

describe("toStayWithinBudget", () => {
  it("holds up to the limit itself, of a run and of its cassette", async () => {
    const { result, cassette } = await priced();
    const limits = { tokens: 220, inputTokens: 200, outputTokens: 20, usd: 0.3, turns: 2, toolCalls: 1 };
    for (const received of [result, cassette]) {
      expect(received).toStayWithinBudget(limits);
      for (const [name, limit] of Object.entries(limits)) {
        expect(received).not.toStayWithinBudget({ [name]: name === "usd" ? limit - 1e-12 : limit - 1 });
      }
    }
  });

  it("measures a run by the clock of its runtime", async () => {
    const { result } = await priced();
    const [start, end] = [result.events[0]?.at ?? NaN, result.events.at(-1)?.at ?? NaN];
    expect(end - start).toBeGreaterThan(0);
    expect(result).toStayWithinBudget({ ms: end - start });
    expect(result).not.toStayWithinBudget({ ms: end - start - 0.5 });
  });

  it("shows each limit next to what was used", async () => {
    const { result } = await priced();
    const budget = { turns: 8, tokens: 200, usd: 0.25 };
    expect(failure(() => expect(result).toStayWithinBudget(budget))).toBe(
      [
        "expected the run to stay within its budget, but it exceeds tokens, USD:",
        "  limit   allowed  used",
        "  turns         8     2",
        "  tokens      200   220  20 over",
        "  USD        0.25   0.3  0.05 over",
        "If this is intended, raise the limit. To see the use of each turn, run npx playhead stats or npx playhead show.",
      ].join("\n"),
    );
    expect(refusal(() => expect(result).toStayWithinBudget(budget))).toMatchObject({
      expected: { tokens: 200, usd: 0.25 },
      actual: { tokens: 220, usd: 0.3 },
    });
    expect(failure(() => expect(result).not.toStayWithinBudget({ turns: 8 }))).toContain(
      "expected the run to exceed its budget, but it stays within:",
    );
  });

  it("takes an unknown price for no price, never for nothing", async () => {
    const { result, cassette } = await spend({ usage, costUsd: 0.1 }, { usage });
    for (const received of [result, cassette]) {
      for (const assertion of [expect(received), expect(received).not]) {
        const message = failure(() => assertion.toStayWithinBudget({ usd: 1, turns: 2 }));
        expect(message).toContain("cannot check the budget: this run does not report USD:\n");
        expect(message).toContain("  USD          1  unknown  turn 1 without a price\n");
      }
    }
  });

  it("derives the cost of a recording from model and tokens, as a recorder of another framework leaves it", async () => {
    const { cassette } = await spend({ usage }, { usage });
    const ofModel = (recordedProvider: string) => ({ ...cassette, recordedProvider, envelopeHash: "" });
    const sealed = (recordedProvider: string) => {
      const changed = ofModel(recordedProvider);
      return { ...changed, envelopeHash: hashEnvelope(changed) };
    };
    // Each of the two turns: 100 tokens in at 2.5 USD for a million, and 10 out at 10 USD.
    expect(sealed("openai.chat:gpt-4o")).toStayWithinBudget({ usd: 0.0007 });
    expect(sealed("openai.chat:gpt-4o")).not.toStayWithinBudget({ usd: 0.0006 });
    const message = failure(() => expect(sealed("openai.chat:orbit-1")).toStayWithinBudget({ usd: 1 }));
    expect(message).toContain("turns 0, 1 without a price\n");
    expect(message).toContain("docs/matchers.md");
  });

  it("decides on what is known where that is over already", async () => {
    const { result } = await spend({ usage, costUsd: 0.1 }, {});
    expect(result).not.toStayWithinBudget({ usd: 0.05 });
    expect(failure(() => expect(result).toStayWithinBudget({ usd: 0.05, tokens: 1_000 }))).toContain(
      "  USD        0.05  unknown  at least 0.1, 0.05 over (turn 1 without a price)\n" +
        "  tokens     1000  unknown  turn 1 without a token count\n",
    );
    // Another limit is broken for certain, so the budget is.
    expect(result).not.toStayWithinBudget({ usd: 1, turns: 1 });
  });

  it("does not know what a cassette or lost events do not say", async () => {
    const { result, cassette } = await priced();
    for (const assertion of [expect(cassette), expect(cassette).not]) {
      expect(failure(() => assertion.toStayWithinBudget({ ms: 1_000 }))).toContain(
        "a cassette does not record how long",
      );
    }
    const lossy = { ...result, events: result.events.slice(0, 3), droppedEvents: result.events.length - 3 };
    for (const limit of [{ usd: 1 }, { tokens: 1_000 }, { ms: 1_000 }]) {
      for (const assertion of [expect(lossy), expect(lossy).not]) {
        expect(failure(() => assertion.toStayWithinBudget(limit))).toContain("cannot check the budget");
      }
    }
    expect(lossy).toStayWithinBudget({ turns: 2, toolCalls: 1 });
  });

  it.each<[string, unknown[]]>([
    ["nothing", []],
    ["no limit", [{}]],
    ["a limit it does not know", [{ maxTokens: 1 }]],
    ["a limit that is undefined", [{ tokens: undefined }]],
    ["a limit below 0", [{ turns: -1 }]],
    ["a part of a turn", [{ turns: 1.5 }]],
    ["an invalid limit", [{ usd: Infinity }]],
    ["a limit in words", [{ usd: "1" }]],
    ["a number", [100]],
    ["two budgets", [{ turns: 1 }, { tokens: 1 }]],
  ])("refuses %s, also under .not", async (_what, args) => {
    const { result } = await priced();
    for (const assertion of [expect(result), expect(result).not]) {
      expect(refusal(() => Reflect.apply(assertion.toStayWithinBudget, assertion, args))).toMatchObject({
        code: "matcher-misuse",
      });
    }
  });

  it("refuses what says nothing of a run, also under .not", async () => {
    const { result } = await priced();
    for (const received of [undefined, {}, result.usage, result.visits[0], result.messages]) {
      expect(refusal(() => expect(received).toStayWithinBudget({ turns: 9 }))).toMatchObject({
        code: "matcher-misuse",
      });
      expect(refusal(() => expect(received).not.toStayWithinBudget({ turns: 0 }))).toMatchObject({
        code: "matcher-misuse",
      });
    }
  });
});
