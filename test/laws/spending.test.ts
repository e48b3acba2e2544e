// What a budget promises of tokens and money: a model of it, command by command; how far a ceiling can be overshot; and that
// a replay of a budgeted run stops where the run did.

import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { cassetteProvider } from "../../src/cassette/replay/replay.js";
import { recordingProvider } from "../../src/cassette/record/recording-provider.js";
import { createBudget, type Budget, type BudgetCap, type BudgetLimits } from "../../src/core/loop/budget.js";
import { estimateText } from "../../src/core/loop/estimate.js";
import type { LlmMessage } from "../../src/core/model/message.js";
import type { LlmProviderAdapter, LlmToolDefinition, LlmTurnResponse } from "../../src/core/model/provider.js";
import type { RunResult } from "../../src/core/runtime/run-plan.js";
import { agent, runtime } from "../support/agents.js";
import { playLoop } from "../support/loop.js";
import { recordedCassette, verifyKept } from "../support/oracle.js";
import { ask, say, tool } from "../support/script.js";

afterAll(verifyKept);

const caps: fc.Arbitrary<BudgetLimits> = fc.record(
  {
    maxTurns: fc.nat(12),
    maxToolCalls: fc.nat(8),
    maxTokens: fc.nat(400),
    maxCostUsd: fc.nat(300).map((cents) => cents / 100),
  },
  { requiredKeys: [] },
);

interface Answer {
  input: number | undefined;
  output: number;
  reasoning: number;
  cents: number | undefined;
}

const answer: fc.Arbitrary<Answer> = fc.record({
  input: fc.option(fc.nat(60), { nil: undefined }),
  output: fc.nat(40),
  reasoning: fc.nat(50),
  cents: fc.option(fc.nat(60), { nil: undefined }),
});

function toResponse({ input, output, reasoning, cents }: Answer): LlmTurnResponse {
  const usage = { inputTokens: input ?? 0, outputTokens: output, reasoningTokens: reasoning };
  return say("", {
    ...(input === undefined ? {} : { usage }),
    ...(cents === undefined ? {} : { costUsd: cents / 100 }),
  });
}

/** The plainest count: everything that happened is kept, and each question is answered from all of it. */
class Model {
  readonly answers: Answer[] = [];
  /** Characters of each message of the conversation, or the answer that it is. */
  conversation: (number | Answer)[] = [];
  turns = 0;
  toolCalls = 0;
  readonly limits: BudgetLimits;

  constructor(limits: BudgetLimits) {
    this.limits = limits;
  }

  get reported() {
    return this.answers.filter(({ input }) => input !== undefined);
  }
  get tokens() {
    return total(this.reported.map(({ input = 0, output }) => input + output));
  }
  get cents() {
    return total(this.answers.map(({ cents }) => cents ?? 0));
  }

  capOfTurn(): BudgetCap | undefined {
    const { maxTurns = 50, maxTokens = Infinity, maxCostUsd = Infinity } = this.limits;
    const maxCents = Math.round(maxCostUsd * 100);
    if (this.turns >= maxTurns) return "turns";
    if (this.tokens >= maxTokens) return "tokens";
    const isPriced = this.answers.some(({ cents }) => cents !== undefined);
    if (maxCents === 0 || (isPriced && this.cents >= maxCents)) return "costUsd";
    const prompt = this.nextPrompt();
    if (prompt === undefined) return undefined;
    if (this.tokens + prompt > maxTokens) return "tokens";
    const last = this.answers.findLast(({ input = 0, cents }) => input > 0 && cents !== undefined);
    if (last === undefined || maxCents === Infinity) return undefined;
    const { input = 0, output, cents = 0 } = last;
    // In whole numbers, so that meeting the cap exactly is seen as that.
    return prompt * cents > (maxCents - this.cents) * (input + 5 * output) ? "costUsd" : undefined;
  }

  private nextPrompt(): number | undefined {
    const counts = ({ input = 0 }: Answer) => input > 0;
    if (this.answers.length > 0 && !this.answers.some(counts)) return undefined;
    const from = this.conversation.findLastIndex((message) => typeof message !== "number" && counts(message));
    const last = this.conversation[from] as Answer | undefined;
    const since = this.conversation.slice(from + 1).map((message) => (typeof message === "number" ? message : 0));
    const known = last === undefined ? 0 : (last.input ?? 0) + Math.max(0, last.output - last.reasoning);
    return known + Math.ceil((total(since) + (last === undefined ? TOOLS_LENGTH : 0)) / 4);
  }
}

const tools: LlmToolDefinition[] = [{ name: "look", description: "Looks.", schema: {} }];
const TOOLS_LENGTH = "lookLooks.{}".length;

interface Real {
  budget: Budget;
  history: LlmMessage[];
}

type Command = fc.Command<Model, Real>;

const turn = (characters: number, next: Answer): Command => ({
  check: () => true,
  run(model, real) {
    real.history.push({ role: "user", content: "x".repeat(characters) });
    model.conversation.push(characters);
    const cap = model.capOfTurn();
    expect(real.budget.takeTurn(real.history, tools)).toBe(cap);
    if (cap !== undefined) return;
    model.turns += 1;
    model.answers.push(next);
    model.conversation.push(next);
    real.budget.spend(toResponse(next));
    real.history.push({ role: "assistant", content: "" });
  },
  toString: () => `turn(${characters}, ${JSON.stringify(next)})`,
});

const toolCall: Command = {
  check: () => true,
  run(model, { budget }) {
    const isOver = model.toolCalls >= (model.limits.maxToolCalls ?? 200);
    expect(budget.takeToolCall()).toBe(isOver ? "toolCalls" : undefined);
    if (!isOver) model.toolCalls += 1;
  },
  toString: () => "toolCall",
};

/** With this many messages to begin with, so that it may be longer than the one before. */
const newConversation = (messages: number): Command => ({
  check: () => true,
  run(model, real) {
    real.budget.beginConversation();
    real.history = Array.from({ length: messages }, () => ({ role: "user", content: "1234" }));
    model.conversation = real.history.map(() => 4);
  },
  toString: () => `newConversation(${messages})`,
});

const read: Command = {
  check: () => true,
  run(model, { budget }) {
    const { turns, toolCalls, limits, reported } = model;
    expect(budget).toMatchObject({ turns, toolCalls });
    const tokens = {
      inputTokens: total(reported.map(({ input = 0 }) => input)),
      outputTokens: total(reported.map(({ output }) => output)),
    };
    const isPriced = model.answers.some(({ cents }) => cents !== undefined);
    expect(budget.usage).toEqual({ ...tokens, ...(isPriced ? { costUsd: model.cents / 100 } : {}) });
    expect(budget.limitOf("tokens")).toBe(limits.maxTokens ?? Infinity);
  },
  toString: () => "read",
};

describe("a budget, command by command", () => {
  it("does what a plain count of all that happened says", () => {
    const turns = fc.tuple(fc.nat(120), answer).map(([characters, next]) => turn(characters, next));
    const others = [fc.constant(toolCall), fc.nat(6).map(newConversation), fc.constant(read)];
    const commands = fc.commands([turns, turns, ...others], { maxCommands: 30 });
    fc.assert(
      fc.property(caps, commands, (limits, script) => {
        const setup = () => ({ model: new Model(limits), real: { budget: createBudget(limits), history: [] } });
        fc.modelRun(setup, script);
      }),
      { numRuns: 1_000 },
    );
  });
});

/** Its prompts have as many tokens as estimated or fewer; an output token costs what five of the input do. */
function honestProvider(shares: readonly number[], outputs: readonly number[], spent: LlmTurnResponse[]) {
  let [known, seen] = [0, 0];
  return {
    name: "honest",
    turn(request) {
      const fresh = estimateText(request.messages, seen, seen === 0 ? (request.tools ?? []) : []);
      const inputTokens = Math.max(1, Math.floor((known + fresh) * (shares[spent.length] ?? 1)));
      const outputTokens = outputs[spent.length] ?? 1;
      [known, seen] = [inputTokens + outputTokens, request.messages.length + 1];
      const usage = { inputTokens, outputTokens };
      const extra = { usage, costUsd: (inputTokens + 5 * outputTokens) / 1_000 };
      const isLast = spent.length + 1 >= outputs.length;
      spent.push(isLast ? say("done", extra) : ask([{ name: "look" }], extra));
      return Promise.resolve(spent.at(-1) as LlmTurnResponse);
    },
  } satisfies LlmProviderAdapter;
}

describe("a ceiling", () => {
  const look = (size: number) => tool("look", () => "x".repeat(size));

  it("is overshot by one answer at most where prompts are no longer than estimated, and not by the prompt", async () => {
    const outputs = fc.array(fc.nat(50), { minLength: 1, maxLength: 12 });
    const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 });
    const limits = fc.record({ maxTokens: fc.nat(1_500), maxCostUsd: fc.nat(2_000).map((mills) => mills / 1_000) });
    await fc.assert(
      fc.asyncProperty(limits, outputs, shares, fc.nat(200), async (limit, out, share, size) => {
        const spent: LlmTurnResponse[] = [];
        await playLoop({ provider: honestProvider(share, out, spent), tools: [look(size)], limits: limit });
        const last = spent.at(-1)?.usage?.outputTokens ?? 0;
        const tokens = total(spent.map(({ usage }) => (usage?.inputTokens ?? 0) + (usage?.outputTokens ?? 0)));
        expect(tokens).toBeLessThanOrEqual(limit.maxTokens + last);
        // The first turn has no price to go by.
        if (spent.length < 2) return;
        const mills = Math.round(total(spent.map(({ costUsd = 0 }) => costUsd)) * 1_000);
        expect(mills).toBeLessThanOrEqual(Math.round(limit.maxCostUsd * 1_000) + 5 * last);
      }),
      { numRuns: 500 },
    );
  });

  it("of tool calls is not passed by the calls of one turn together, and exactly as many run", async () => {
    const batches = fc.array(fc.integer({ min: 1, max: 12 }), { minLength: 1, maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(batches, fc.nat(30), fc.scheduler(), async (sizes, maxToolCalls, scheduler) => {
        let ran = 0;
        const slow = tool("slow", () => {
          ran += 1;
          return scheduler.schedule(Promise.resolve());
        });
        const steps = sizes.map((size) => ask(Array.from({ length: size }, () => ({ name: "slow" }))));
        const running = playLoop({ steps: [...steps, say("x")], tools: [slow], limits: { maxToolCalls } });
        await scheduler.waitFor(running);
        const { stop } = await running;
        expect(ran).toBe(Math.min(total(sizes), maxToolCalls));
        expect(stop?.kind).toBe(total(sizes) > maxToolCalls ? "budget" : "finished");
      }),
      { numRuns: 300 },
    );
  });
});

describe("a replay of a budgeted run", () => {
  it("stops at the same turn with the same result", async () => {
    const script = fc.array(answer, { maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(caps, script, fc.nat(300), async (budget, answers, size) => {
        const look = tool("look", () => "x".repeat(size));
        const play = async (provider: LlmProviderAdapter) => {
          const goal = "g".repeat(size);
          return comparable(await runtime([agent(provider, { budget, customTools: [look] })]).run({ goal }));
        };
        const recorder = recordingProvider(toolScript(answers));
        const live = await play(recorder);
        const replay = cassetteProvider(recordedCassette(recorder));
        expect(await play(replay)).toEqual(live);
      }),
      { numRuns: 200 },
    );
  });
});

/** Asks for one tool a turn, and then is done. */
function toolScript(answers: readonly Answer[]): LlmProviderAdapter {
  let next = 0;
  return {
    name: "script",
    turn() {
      const one = answers[next++];
      if (one === undefined) return Promise.resolve(say("done"));
      const { message: _message, finalAnswer: _finalAnswer, stopReason: _stopReason, ...extra } = toResponse(one);
      return Promise.resolve(ask([{ name: "look" }], extra));
    },
  };
}

/** A result without what says when and in which run it was. */
function comparable({ events, runId: _runId, ...result }: RunResult) {
  return { ...result, events: events.map(({ at: _at, hlc: _hlc, runId: _runId, ...event }) => event) };
}

function total(numbers: readonly number[]): number {
  return numbers.reduce((sum, number) => sum + number, 0);
}
