// toMatchToolSequence: compares the tool calls of a whole run with a list of turns.

import type { CallOrder, Tolerances } from "../../cassette/index.js";
import { MAX_SEQUENCE_PAIRS } from "../limits.js";
import { handleAdvice } from "../text/rerun-commands.js";
import { callText, compareCall, expectedText, type ExpectedCall } from "./expected-call.js";
import { assertOptions, misuse, type MatcherContext, type MatcherResult } from "./matcher.js";
import { madeCallsOf, type MadeCall } from "./run-result.js";
import { matchSequence, type Sides } from "./sequence/match.js";
import { MODES, parseSequence, type SequenceMode } from "./sequence/spec.js";
import { tableText, toRows, type Row } from "./sequence/table.js";

const NAME = "toMatchToolSequence";

/** The options of `toMatchToolSequence`. */
export interface ToolSequenceOptions {
  /**
   * How strictly the order counts, with the values of `DiffOptions.order`. `subset` lets the run leave out listed calls.
   * `superset` lets it make others too. Default `strict`.
   */
  readonly mode?: CallOrder;
  /** How arguments may differ from the expected ones. Default: not at all. */
  readonly tolerances?: Tolerances;
}

export function matchToolSequence(
  this: MatcherContext,
  received: unknown,
  spec: unknown,
  options?: unknown,
): MatcherResult {
  assertOptions(NAME, options, { mode: "an order of calls", tolerances: "tolerances" });
  const { mode: order = "strict", tolerances } = (options ?? {}) as ToolSequenceOptions;
  const mode = MODES[order];
  const turns = parseSequence(NAME, spec, mode, tolerances);
  const { calls, turns: taken } = madeCallsOf(NAME, received);
  if (taken === 0) throw misuse(NAME, "the run has no turns to compare", "Run the agent first.");
  const expected = turns.flat();
  assertSize(expected, calls);
  const sides = toSides(this, turns, calls);
  const { isMatch, partners } = matchSequence(sides, mode);
  const isNamesake = (item: number, call: number): boolean =>
    !isMatch && expected[item]?.name === calls[call]?.name && !sides.fits(item, call);
  const rows = toRows(partners, calls.length, mode, isNamesake);
  const table = (): string => tableText(this, rows, cellsOf(this, expected, calls));
  if (isMatch) {
    const message = () =>
      `expected other tool calls than these (${order}), but the run made these:\n${table()}\n` +
      "Remove .not, or check that the changed agent ran.";
    return { pass: true, message };
  }
  const faults = rows.filter(({ state }) => state !== "same" && state !== "free");
  return {
    pass: false,
    message: () =>
      `expected ${MEANINGS[mode]} (${order}), but ${faultsText(faults)}:\n${table()}\n` +
      (mode === "strict" && matchSequence(sides, "unordered").isMatch ? OTHER_TURNS : "") +
      "Correct the list, or the prompt, tool description or tool list that misled the model." +
      handleAdvice(this, received),
    expected: faults.flatMap(({ expected: item }) => (item === undefined ? [] : [describeExpected(expected[item])])),
    actual: faults.flatMap(({ made }) => (made === undefined ? [] : [describeMade(calls[made])])),
  };
}

const MEANINGS: Readonly<Record<SequenceMode, string>> = {
  strict: "these tool calls in these turns and no others",
  in_order: "these tool calls in this order, with others allowed in between",
  unordered: "these tool calls and no others, in any turns",
  subset: "only tool calls from this list",
  superset: "all of these tool calls, with others allowed",
};

const OTHER_TURNS = "The calls are the same, but in other turns. To put calls in one turn, nest them in a list.\n";

function faultsText(faults: readonly Row[]): string {
  const kinds = Object.entries(WORDS).flatMap(([state, words]) => {
    const count = faults.filter((row) => row.state === state).length;
    return count === 0 ? [] : [`${count} ${count === 1 ? "is" : "are"} ${words}`];
  });
  return kinds.join(", ");
}

const WORDS = { changed: "called with other arguments", missing: "missing", extra: "not expected" };

function assertSize(expected: readonly ExpectedCall[], calls: readonly MadeCall[]): void {
  if (expected.length * calls.length <= MAX_SEQUENCE_PAIRS) return;
  const what = `${expected.length} expected and ${calls.length} actual calls are too many to pair`;
  throw misuse(NAME, what, `The limit is ${MAX_SEQUENCE_PAIRS} pairs. Use toHaveNoDriftFrom to compare cassettes.`);
}

/** Prepares both sides for matching. Each pair is compared at most once. */
function toSides(context: MatcherContext, turns: readonly ExpectedCall[][], calls: readonly MadeCall[]): Sides {
  const expected = turns.flat();
  const known = new Int8Array(expected.length * calls.length);
  const made = new Map<number, number[]>();
  calls.forEach(({ turn }, index) => {
    const same = made.get(turn);
    if (same === undefined) made.set(turn, [index]);
    else same.push(index);
  });
  let count = 0;
  return {
    expected: turns.map((turn) => turn.map(() => count++)),
    made: [...made.values()],
    fits(item, call) {
      const place = item * calls.length + call;
      if (known[place] === 0) {
        const compared = compareCall(context, expected[item] as ExpectedCall, calls[call] as MadeCall);
        known[place] = compared.differences?.length === 0 ? 1 : -1;
      }
      return known[place] === 1;
    },
  };
}

function cellsOf(context: MatcherContext, expected: readonly ExpectedCall[], calls: readonly MadeCall[]) {
  return {
    expected: (index: number) => expectedText(expected[index] as ExpectedCall),
    made: (index: number) => `turn ${calls[index]?.turn}  ${callText(calls[index] as MadeCall)}`,
    differences: (index: number, call: number) =>
      compareCall(context, expected[index] as ExpectedCall, calls[call] as MadeCall).differences ?? [],
  };
}

function describeExpected(call: ExpectedCall | undefined): object {
  return { tool: call?.name, ...(call?.args === undefined ? {} : { arguments: call.args }) };
}

function describeMade(call: MadeCall | undefined): object {
  return { tool: call?.name, arguments: call?.malformedArguments ?? call?.arguments };
}
