// toStayWithinBudget: compares what a run used with limits, after the run. An agent's caps end a run instead.

import { isPlainObject } from "../../core/index.js";
import { handleAdvice } from "../text/rerun-commands.js";
import { misuse, undecided, type MatcherContext, type MatcherResult } from "./matcher.js";
import { figuresOf, type RunFigures } from "./run-figures.js";
import { describeValue } from "../text/describe.js";

const NAME = "toStayWithinBudget";

/** Limits for a run, at least one. A figure equal to its limit is within it. */
export interface RunBudget {
  /** Input and output tokens together, as the provider reports them. */
  readonly tokens?: number;
  readonly inputTokens?: number;
  readonly outputTokens?: number;
  readonly usd?: number;
  /** Number of model calls. */
  readonly turns?: number;
  /** Tool calls that the model requested, whether they succeeded or not. */
  readonly toolCalls?: number;
  /** Duration of the run by the runtime's clock. For a replay, the duration of the replay. */
  readonly ms?: number;
}

const LIMITS: Readonly<Record<keyof RunBudget, string>> = {
  tokens: "tokens",
  inputTokens: "input tokens",
  outputTokens: "output tokens",
  usd: "USD",
  turns: "turns",
  toolCalls: "tool calls",
  ms: "ms",
};

interface Judged {
  name: keyof RunFigures;
  limit: number;
  value: number;
  /** Why the figure is incomplete, if it is. */
  why: string | undefined;
  state: "within" | "over" | "unknown";
}

/**
 * A figure can be incomplete (a turn without a price). Its limit is undecided unless the known part already exceeds it. With
 * an undecided limit and none exceeded, the assertion fails with or without `.not`.
 */
export function stayWithinBudget(
  this: MatcherContext,
  received: unknown,
  budget: unknown,
  ...rest: unknown[]
): MatcherResult {
  const limits = parseBudget(budget, rest);
  const figures = figuresOf(NAME, received);
  const judged = limits.map(([name, limit]): Judged => {
    const { value, why } = figures[name];
    const state = value > limit ? "over" : why === undefined ? "within" : "unknown";
    return { name, limit, value, why, state };
  });
  const over = judged.filter(({ state }) => state === "over");
  const unknown = judged.filter(({ state }) => state === "unknown");
  if (over.length === 0 && unknown.length > 0) {
    const message = () =>
      `cannot check the budget: this run does not report ${namesText(unknown)}:\n${tableText(this, judged)}\n` +
      "Record with a provider that reports it, or remove the limit. docs/matchers.md lists the figures derived from model and tokens.";
    return undecided(this, message);
  }
  if (over.length === 0) {
    const message = () =>
      `expected the run to exceed its budget, but it stays within:\n${tableText(this, judged)}\n` +
      "Remove .not, or lower the limits.";
    return { pass: true, message };
  }
  return {
    pass: false,
    message: () =>
      `expected the run to stay within its budget, but it exceeds ${namesText(over)}:\n${tableText(this, judged)}\n` +
      "If this is intended, raise the limit. To see the use of each turn, run npx playhead stats or npx playhead show." +
      handleAdvice(this, received),
    expected: Object.fromEntries(over.map(({ name, limit }) => [name, limit])),
    actual: Object.fromEntries(over.map(({ name, value }) => [name, value])),
  };
}

function parseBudget(budget: unknown, rest: readonly unknown[]): [keyof RunFigures, number][] {
  const names = Object.keys(LIMITS).join(", ");
  const hint = `Pass limits such as { tokens: 10_000, usd: 0.05 }. The limits are ${names}.`;
  if (!isPlainObject(budget) || rest.length > 0) {
    throw misuse(NAME, `it needs one object of limits and was given ${describeValue(rest[0] ?? budget)}`, hint);
  }
  const limits = Object.entries(budget);
  if (limits.length === 0) throw misuse(NAME, "the budget has no limits", hint);
  return limits.map(([name, limit]) => {
    if (!Object.hasOwn(LIMITS, name)) throw misuse(NAME, `it has no limit ${name}`, hint);
    const isWhole = name === "usd" || name === "ms" || Number.isInteger(limit);
    if (typeof limit === "number" && Number.isFinite(limit) && limit >= 0 && isWhole) {
      return [name as keyof RunBudget, limit];
    }
    const kind = name === "usd" || name === "ms" ? "a number" : "a whole number";
    throw misuse(
      NAME,
      `its limit ${name} is ${describeValue(limit)}`,
      `Pass ${kind} of 0 or more, or remove the limit.`,
    );
  });
}

function namesText(judged: readonly Judged[]): string {
  return judged.map(({ name }) => LIMITS[name]).join(", ");
}

function tableText({ utils }: MatcherContext, judged: readonly Judged[]): string {
  const plain = (text: string): string => text;
  const { EXPECTED_COLOR: green = plain, RECEIVED_COLOR: red = plain } = utils;
  const rows = judged.map((one) => [
    LIMITS[one.name],
    numberText(one.name, one.limit),
    one.why === undefined ? numberText(one.name, one.value) : "unknown",
    wordsOf(one),
  ]);
  const head = ["limit", "allowed", "used", ""];
  const widths = head.map((title, column) => Math.max(title.length, ...rows.map((row) => (row[column] ?? "").length)));
  const [first = 0, second = 0, third = 0] = widths;
  const line = ([name = "", limit = "", used = "", words = ""]: readonly string[], isFault: boolean): string => {
    const [allowed, had] = [limit.padStart(second), used.padStart(third)];
    return `  ${name.padEnd(first)}  ${isFault ? green(allowed) : allowed}  ${isFault ? red(had) : had}  ${words}`.trimEnd();
  };
  return [line(head, false), ...rows.map((row, index) => line(row, judged[index]?.state !== "within"))].join("\n");
}

function wordsOf({ name, limit, value, why, state }: Judged): string {
  if (state !== "over") return why ?? "";
  const over = `${numberText(name, value - limit)} over`;
  return why === undefined ? over : `at least ${numberText(name, value)}, ${over} (${why})`;
}

/** Formats a figure. USD is exact to 1e-12. */
function numberText(name: keyof RunFigures, value: number): string {
  if (name !== "usd") return String(value);
  return value.toFixed(12).replace(/\.?0+$/, "");
}
