// Laws of a budget: what a plain count says of it, for any turns. Held against the counter itself and, for limits, against whole
// runs of a runtime under them.

import fc from "fast-check";
import {
  createBudget,
  createRuntime,
  defined,
  scriptedProvider,
  type Budget,
  type BudgetCap,
  type BudgetLimits,
  type LlmTurnResponse,
  type RunResult,
} from "../../core/index.js";
import { spending, type SpentTurn } from "../arbitraries/budgets.js";
import { answerOf } from "../arbitraries/cassettes.js";
import { assertExamples, assertLawOptions, breaks, holdLaws, isBreach, type LawOptions } from "./law.js";
import { describeThrown } from "../contract/thrown.js";
import { budgetMaker, CAPS, findTurnsFault } from "./budget-subject.js";
import { settle } from "../contract/waiting.js";

/** The options of `checkBudget`. */
export interface CheckBudgetOptions extends LawOptions {
  /** Turns that are tried first. */
  readonly examples?: readonly (readonly SpentTurn[])[];
}

/** What was tried. */
export interface BudgetReport {
  readonly runs: number;
  /** How many of them a cap ended. */
  readonly ended: Readonly<Record<BudgetCap, number>>;
  /** How many ended by themselves. */
  readonly finished: number;
}

/**
 * Holds a budget to its laws, for any turns: turns and tool calls never exceed their caps; tokens and cost are overshot by one turn
 * at most; what was counted only grows, and is the sum of what was spent; a cap forbids nothing before it is reached, takes nothing
 * by that, and goes on to forbid; a further conversation spends from the same caps. Give it limits, and whole runs are played under them as well, or a function that makes a budget of your own.
 *
 * Rejects with `LawBrokenError`, and with `AgentError` `invalid-options` for limits that are none and for a function that makes no
 * budget, or the same one twice.
 */
export async function checkBudget(
  subject: BudgetLimits | (() => Budget),
  options: CheckBudgetOptions = {},
): Promise<BudgetReport> {
  assertLawOptions("checkBudget", options, ["examples"]);
  assertExamples("checkBudget", options.examples, findTurnsFault);
  const make = budgetMaker(subject);
  // What is none is refused now, and not in the middle of the first run.
  make();
  const ended = { turns: 0, toolCalls: 0, tokens: 0, costUsd: 0 };
  let finished = 0;
  const runs = await holdLaws<readonly SpentTurn[]>({
    call: "checkBudget(budget",
    subject: "the budget",
    values: scaled(make()),
    examples: options.examples ?? [],
    options,
    defaultRuns: 200,
    async judge(turns) {
      const cap = playBudget(make(), turns);
      if (cap === undefined) finished += 1;
      else ended[cap] += 1;
      if (typeof subject !== "function") await playRun(subject, turns);
    },
  });
  return { runs, ended, finished };
}

/** Turns made for one of the caps each: large enough, or many enough, that it is met after some of them. */
function scaled(budget: Budget): fc.Arbitrary<SpentTurn[]> {
  const caps = CAPS.filter((cap) => Number.isFinite(budget.limitOf(cap)));
  const limit = budget.limitOf("turns");
  const many = Math.min(Math.max(Number.isNaN(limit) ? 0 : 2 * limit, USUAL.turns), MAX_TURNS);
  const usual = fc.tuple(spending({ maxTurns: many }), fc.constantFrom(...caps, undefined)).map(([turns, aim]) => {
    const by = (cap: BudgetCap) => (cap === aim ? Math.max(1, Math.ceil(budget.limitOf(cap) / USUAL[cap])) : 1);
    const [tokens, cost, calls] = [by("tokens"), by("costUsd"), by("toolCalls")];
    return turns.slice(0, aim === "turns" ? many : USUAL.turns).map(({ usage, costUsd, toolCalls }) => ({
      // Many turns with many calls each would meet another cap first.
      toolCalls: Math.min(toolCalls * calls, aim === "turns" ? 1 : MAX_CALLS),
      ...(usage === undefined
        ? {}
        : { usage: { inputTokens: usage.inputTokens * tokens, outputTokens: usage.outputTokens * tokens } }),
      ...(costUsd === undefined ? {} : { costUsd: costUsd * cost }),
    }));
  });
  const edges = caps.flatMap((cap) => spentExactly(cap, budget.limitOf(cap)));
  return edges.length === 0
    ? usual
    : fc.oneof({ withCrossShrink: true }, { weight: 7, arbitrary: usual }, fc.constantFrom(...edges));
}

/** A turn that meets the cap to the last token or cent, and one more that must not be. */
function spentExactly(cap: BudgetCap, limit: number): SpentTurn[][] {
  const after = { toolCalls: 0 };
  if (cap === "tokens") return [[{ toolCalls: 0, usage: { inputTokens: limit, outputTokens: 0 } }, after]];
  return cap === "costUsd" ? [[{ toolCalls: 0, costUsd: limit }, after]] : [];
}

/** What a run of `spending` comes to that is not scaled. */
const USUAL: Readonly<Record<BudgetCap, number>> = { turns: 12, toolCalls: 16, tokens: 100, costUsd: 1 };
/** Turns of a run, the most. */
const MAX_TURNS = 60;
/** Tool calls of one turn, the most. */
const MAX_CALLS = 100;

interface Counted {
  readonly turns: number;
  readonly toolCalls: number;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly costUsd: number | undefined;
  /** How many turns had a price. */
  readonly prices: number;
}

const NOTHING: Counted = { turns: 0, toolCalls: 0, inputTokens: 0, outputTokens: 0, costUsd: undefined, prices: 0 };

/** Spends until a cap forbids a turn or the turns are used up. */
function playBudget(budget: Budget, turns: readonly SpentTurn[]): BudgetCap | undefined {
  try {
    return play(budget, turns);
  } catch (error) {
    if (isBreach(error)) throw error;
    return breaks("a budget answers and never throws", `it threw ${describeThrown(error)}`, error);
  }
}

function play(budget: Budget, turns: readonly SpentTurn[]): BudgetCap | undefined {
  let own = NOTHING;
  const limits = limitsOf(budget);
  assertCounted(budget, own);
  for (const turn of turns) {
    // An agent that is entered again goes on with the same caps.
    if (own.turns % 3 === 1) budget.beginConversation();
    const cap = budget.takeTurn();
    if (cap !== undefined) {
      judgeRefusal(budget, own, cap, () => budget.takeTurn());
      return cap;
    }
    assertWithin(budget, own);
    own = { ...own, turns: own.turns + 1 };
    budget.spend(toResponse(turn, own.turns));
    own = { ...own, ...spent(own, turn) };
    assertCounted(budget, own);
    for (let call = 0; call < turn.toolCalls; call++) {
      const refused = budget.takeToolCall();
      if (refused !== undefined) {
        judgeRefusal(budget, own, refused, () => budget.takeToolCall());
        return refused;
      }
      own = { ...own, toolCalls: own.toolCalls + 1 };
      assertCounted(budget, own);
    }
    if (own.toolCalls > budget.limitOf("toolCalls"))
      breaks("tool calls never exceed their cap", `there were ${own.toolCalls}`);
    if (limitsOf(budget) !== limits) breaks(FIXED, `they were ${limits} and are ${limitsOf(budget)} later`);
  }
  return undefined;
}

const FIXED = "a limit is a number of 0 or more, and stays";

function limitsOf(budget: Budget): string {
  const limits = CAPS.map((cap) => [cap, budget.limitOf(cap)] as const);
  const wrong = limits.find(([, limit]) => !(limit >= 0));
  if (wrong !== undefined) breaks(FIXED, `that of ${wrong[0]} is ${String(wrong[1])}`);
  return limits.map(([cap, limit]) => `${cap} ${limit}`).join(", ");
}

/** A turn was just granted: no cap may have been reached before it. */
function assertWithin(budget: Budget, own: Counted): void {
  if (own.turns >= budget.limitOf("turns")) breaks("turns never exceed their cap", `turn ${own.turns + 1} was granted`);
  const law = "tokens and cost are overshot by one turn at most";
  const tokens = own.inputTokens + own.outputTokens;
  if (tokens >= budget.limitOf("tokens")) breaks(law, `a turn was granted after ${tokens} tokens`);
  const [{ costUsd = 0 }, limit] = [own, budget.limitOf("costUsd")];
  // Cents are no binary fractions; a budget may count them exactly and this sum does not, unless it has one term.
  const isMet = own.prices === 1 && costUsd >= Math.max(limit, LEAST_USD);
  if (isMet || (own.prices > 0 && costUsd > limit * (1 + ROUNDING))) {
    breaks(law, `a turn was granted after ${costUsd} USD`);
  }
}

/** Of a sum of costs. */
const ROUNDING = 1e-9;
/** Less than that is nothing to some budgets. */
const LEAST_USD = 1e-9;

function judgeRefusal(budget: Budget, own: Counted, cap: BudgetCap, ask: () => BudgetCap | undefined): void {
  assertCounted(budget, own);
  const spentOf: Readonly<Record<BudgetCap, number>> = {
    turns: own.turns,
    toolCalls: own.toolCalls,
    tokens: own.inputTokens + own.outputTokens,
    costUsd: (own.costUsd ?? 0) * (1 + ROUNDING) + Number.MIN_VALUE,
  };
  const law = "a cap forbids nothing before it is reached";
  if (!CAPS.includes(cap)) breaks(law, `${cap as string} did, which is none of ${CAPS.join(", ")}`);
  if (spentOf[cap] < budget.limitOf(cap))
    breaks(law, `${cap} did at ${cap === "costUsd" ? (own.costUsd ?? 0) : spentOf[cap]}`);
  if (ask() === undefined) breaks("what is forbidden stays forbidden", `${cap} forbade it once only`);
  assertCounted(budget, own);
}

function assertCounted(budget: Budget, own: Counted): void {
  const { inputTokens, outputTokens, costUsd } = budget.usage;
  const law = "what was counted is what was taken and spent";
  const compare = (what: string, counted: number, right: number) => {
    if (!(Math.abs(counted - right) <= Math.abs(right) * ROUNDING))
      breaks(law, `${what} is ${counted}, and ${right} were`);
  };
  compare("turns", budget.turns, own.turns);
  compare("toolCalls", budget.toolCalls, own.toolCalls);
  compare("usage.inputTokens", inputTokens, own.inputTokens);
  compare("usage.outputTokens", outputTokens, own.outputTokens);
  if ((costUsd === undefined) !== (own.costUsd === undefined))
    breaks(law, "a cost is there without a price, or not there with one");
  compare("costUsd", costUsd ?? 0, own.costUsd ?? 0);
}

function spent(own: Counted, turn: SpentTurn): Omit<Counted, "turns" | "toolCalls"> {
  const { inputTokens = 0, outputTokens = 0 } = turn.usage ?? {};
  const hasPrice = turn.costUsd !== undefined;
  return {
    inputTokens: own.inputTokens + inputTokens,
    outputTokens: own.outputTokens + outputTokens,
    costUsd: hasPrice ? (own.costUsd ?? 0) + (turn.costUsd ?? 0) : own.costUsd,
    prices: own.prices + (hasPrice ? 1 : 0),
  };
}

function toResponse({ usage, costUsd, toolCalls }: SpentTurn, turn: number): LlmTurnResponse {
  const calls = Array.from({ length: toolCalls }, (_, index) => ({
    id: `call-${turn}-${index}`,
    name: "look",
    arguments: {},
  }));
  return {
    ...answerOf({ role: "assistant", content: "", ...(calls.length === 0 ? {} : { toolCalls: calls }) }),
    ...defined({ usage, costUsd }),
  };
}

/** A run of a script takes milliseconds. */
const RUN_TIMEOUT_MS = 60_000;

/** The same turns in a runtime, which asks the budget itself: none more than it grants, whatever the model does. */
async function playRun(budget: BudgetLimits, turns: readonly SpentTurn[]): Promise<void> {
  const capped = createBudget(budget);
  // A last answer, so that a run which no cap ends does end.
  const script = [...turns.map(toResponse), answerOf({ role: "assistant", content: "" })];
  const look = { name: "look", description: "", schema: { type: "object" }, invoke: () => "" };
  const provider = scriptedProvider(script);
  const agents = [{ id: "check", systemPrompt: "", provider, budget, customTools: [look] }];
  const end = await settle(() => createRuntime({ agents }).run({ goal: "" }), RUN_TIMEOUT_MS);
  if (end.kind !== "value") {
    const what = end.kind === "late" ? "it did not end" : `it threw ${describeThrown(end.error)}`;
    return breaks("a cap ends a run as a normal stop", what);
  }
  const result = end.value as RunResult;
  for (const cap of ["turns", "toolCalls"] as const) {
    if (result[cap] > capped.limitOf(cap)) breaks(`${cap} never exceed their cap`, `a run had ${result[cap]}`);
  }
}
