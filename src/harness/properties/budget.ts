// Laws of a budget: for any turns, it agrees with a plain count. Given limits, it is also checked in whole runs.

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
import { either } from "../arbitraries/either.js";
import { BUDGET_RUN_TIMEOUT_MS, MAX_DRAWN_CALLS, MAX_DRAWN_TURNS } from "../limits.js";
import { assertExamples, assertLawOptions, breaks, holdLaws, isBreach, type LawOptions } from "./law.js";
import { describeThrown } from "../contract/thrown.js";
import { budgetMaker, CAPS, findTurnsFault } from "./budget-subject.js";
import { settle } from "../contract/waiting.js";

export interface CheckBudgetOptions extends LawOptions {
  /** Lists of turns to try first. */
  readonly examples?: readonly (readonly SpentTurn[])[];
}

export interface BudgetReport {
  readonly runs: number;
  /** Runs that each cap ended. */
  readonly ended: Readonly<Record<BudgetCap, number>>;
  /** Runs that no cap ended. */
  readonly finished: number;
}

/**
 * Holds a budget to its laws, for any turns. Turns and tool calls never exceed their caps, and tokens and cost exceed theirs by at
 * most one turn. The counts are the sum of what was spent. A cap forbids nothing before it is reached, counts nothing when it forbids,
 * and then forbids for good. A further conversation spends from the same caps.
 *
 * Pass limits, and whole runs are played under them as well, or a function that makes a budget of your own. Rejects with
 * `LawBrokenError`, and with `AgentError` `invalid-options` for malformed limits and for a function that does not make a new budget.
 */
export async function checkBudget(
  subject: BudgetLimits | (() => Budget),
  options: CheckBudgetOptions = {},
): Promise<BudgetReport> {
  assertLawOptions("checkBudget", options, ["examples"]);
  assertExamples("checkBudget", options.examples, findTurnsFault);
  const make = budgetMaker(subject);
  // A malformed budget is refused before the first run.
  const values = scaled(make());
  const ended = { turns: 0, toolCalls: 0, tokens: 0, costUsd: 0 };
  let finished = 0;
  const runs = await holdLaws<readonly SpentTurn[]>({
    call: "checkBudget(budget",
    subject: "the budget",
    values,
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

/** Turns that aim at one of the caps: large enough, or many enough, to reach it after a few of them. */
function scaled(budget: Budget): fc.Arbitrary<SpentTurn[]> {
  const caps = CAPS.filter((cap) => Number.isFinite(budget.limitOf(cap)));
  const limit = budget.limitOf("turns");
  const many = Math.min(Math.max(Number.isNaN(limit) ? 0 : 2 * limit, USUAL.turns), MAX_DRAWN_TURNS);
  const usual = fc.tuple(spending({ maxTurns: many }), fc.constantFrom(...caps, undefined)).map(([turns, aim]) => {
    const by = (cap: BudgetCap) => (cap === aim ? Math.max(1, Math.ceil(budget.limitOf(cap) / USUAL[cap])) : 1);
    const [tokens, cost, calls] = [by("tokens"), by("costUsd"), by("toolCalls")];
    return turns.slice(0, aim === "turns" ? many : USUAL.turns).map(({ usage, costUsd, toolCalls }) => ({
      // Many turns with many calls each would meet another cap first.
      toolCalls: Math.min(toolCalls * calls, aim === "turns" ? 1 : MAX_DRAWN_CALLS),
      ...defined({
        usage: usage && { inputTokens: usage.inputTokens * tokens, outputTokens: usage.outputTokens * tokens },
        costUsd: costUsd === undefined ? undefined : costUsd * cost,
      }),
    }));
  });
  const edges = caps.flatMap((cap) => spentExactly(cap, budget.limitOf(cap)));
  return edges.length === 0 ? usual : either([7, usual], fc.constantFrom(...edges));
}

/** A turn that reaches the cap to the last token or cent, and one more that must be refused. */
function spentExactly(cap: BudgetCap, limit: number): SpentTurn[][] {
  const after = { toolCalls: 0 };
  if (cap === "tokens") return [[{ toolCalls: 0, usage: { inputTokens: limit, outputTokens: 0 } }, after]];
  return cap === "costUsd" ? [[{ toolCalls: 0, costUsd: limit }, after]] : [];
}

/** Sums of a run of `spending` that is not scaled. */
const USUAL: Readonly<Record<BudgetCap, number>> = { turns: 12, toolCalls: 16, tokens: 100, costUsd: 1 };

/** `prices` are the turns with a price. */
const NOTHING = {
  turns: 0,
  toolCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  costUsd: undefined as number | undefined,
  prices: 0,
};

type Counted = Readonly<typeof NOTHING>;

/** Spends until a cap forbids it or the turns are used up. Returns that cap. */
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
    if (cap !== undefined) return judgeRefusal(budget, own, cap, () => budget.takeTurn());
    assertWithin(budget, own);
    budget.spend(toResponse(turn, own.turns + 1));
    own = add(own, turn);
    assertCounted(budget, own);
    for (let call = 0; call < turn.toolCalls; call++) {
      const refused = budget.takeToolCall();
      if (refused !== undefined) return judgeRefusal(budget, own, refused, () => budget.takeToolCall());
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

/** Checks a turn that was just granted: no cap may be reached before it. */
function assertWithin(budget: Budget, own: Counted): void {
  if (own.turns >= budget.limitOf("turns")) breaks("turns never exceed their cap", `turn ${own.turns + 1} was granted`);
  const law = "tokens and cost exceed their caps by at most one turn";
  const tokens = own.inputTokens + own.outputTokens;
  if (tokens >= budget.limitOf("tokens")) breaks(law, `a turn was granted after ${tokens} tokens`);
  const { costUsd = 0 } = own;
  const limit = budget.limitOf("costUsd");
  // Cents are not binary fractions: a budget may count them exactly, but this sum is exact only for one term.
  const isMet = own.prices === 1 && costUsd >= Math.max(limit, LEAST_USD);
  if (isMet || (own.prices > 0 && costUsd > limit * (1 + ROUNDING))) {
    breaks(law, `a turn was granted after ${costUsd} USD`);
  }
}

/** Relative error of a sum of costs. */
const ROUNDING = 1e-9;
/** Some budgets count less than this as nothing. */
const LEAST_USD = 1e-9;

function judgeRefusal(budget: Budget, own: Counted, cap: BudgetCap, ask: () => BudgetCap | undefined): BudgetCap {
  assertCounted(budget, own);
  const spentOf: Readonly<Record<BudgetCap, number>> = {
    turns: own.turns,
    toolCalls: own.toolCalls,
    tokens: own.inputTokens + own.outputTokens,
    costUsd: (own.costUsd ?? 0) * (1 + ROUNDING) + Number.MIN_VALUE,
  };
  const law = "a cap forbids nothing before it is reached";
  if (!CAPS.includes(cap)) breaks(law, `${cap as string} did, which must be one of ${CAPS.join(", ")}`);
  if (spentOf[cap] < budget.limitOf(cap))
    breaks(law, `${cap} did at ${cap === "costUsd" ? (own.costUsd ?? 0) : spentOf[cap]}`);
  if (ask() === undefined) breaks("a cap that forbids keeps forbidding", `${cap} forbade it once only`);
  assertCounted(budget, own);
  return cap;
}

function assertCounted(budget: Budget, own: Counted): void {
  const { inputTokens, outputTokens, costUsd } = budget.usage;
  const law = "what was counted is what was taken and spent";
  const hasCost = costUsd !== undefined;
  if (hasCost !== (own.costUsd !== undefined))
    breaks(law, `a cost is ${hasCost ? "there without" : "missing despite"} a price`);
  const { turns, toolCalls } = budget;
  const counts = { turns, toolCalls, inputTokens, outputTokens, costUsd: costUsd ?? 0 };
  for (const [name, counted] of Object.entries(counts)) {
    const right = own[name as keyof Counted] ?? 0;
    const isRight = Math.abs(counted - right) <= right * ROUNDING;
    if (!isRight) breaks(law, `${name} is ${counted}, and must be ${right}`);
  }
}

function add(own: Counted, { usage, costUsd }: SpentTurn): Counted {
  return {
    turns: own.turns + 1,
    toolCalls: own.toolCalls,
    inputTokens: own.inputTokens + (usage?.inputTokens ?? 0),
    outputTokens: own.outputTokens + (usage?.outputTokens ?? 0),
    costUsd: costUsd === undefined ? own.costUsd : (own.costUsd ?? 0) + costUsd,
    prices: own.prices + (costUsd === undefined ? 0 : 1),
  };
}

function toResponse({ usage, costUsd, toolCalls }: SpentTurn, turn: number): LlmTurnResponse {
  const callOf = (index: number) => ({ id: `call-${turn}-${index}`, name: "look", arguments: {} });
  const calls = toolCalls === 0 ? undefined : Array.from({ length: toolCalls }, (_, index) => callOf(index));
  const message = { role: "assistant" as const, content: "", ...defined({ toolCalls: calls }) };
  return { ...answerOf(message), ...defined({ usage, costUsd }) };
}

/** Plays the same turns in a runtime, which must keep to the limits whatever the model does. */
async function playRun(budget: BudgetLimits, turns: readonly SpentTurn[]): Promise<void> {
  const capped = createBudget(budget);
  // A last answer, so that a run which no cap ends does end.
  const script = [...turns.map(toResponse), answerOf({ role: "assistant", content: "" })];
  const look = { name: "look", description: "", schema: { type: "object" }, invoke: () => "" };
  const provider = scriptedProvider(script);
  const agents = [{ id: "check", systemPrompt: "", provider, budget, customTools: [look] }];
  const end = await settle(() => createRuntime({ agents }).run({ goal: "" }), BUDGET_RUN_TIMEOUT_MS);
  if (end.kind !== "value") {
    const what = end.kind === "late" ? "it did not end" : `it threw ${describeThrown(end.error)}`;
    return breaks("a cap ends a run as a normal stop", what);
  }
  const result = end.value as RunResult;
  for (const cap of ["turns", "toolCalls"] as const) {
    if (result[cap] > capped.limitOf(cap)) breaks(`${cap} never exceed their cap`, `a run had ${result[cap]}`);
  }
}
