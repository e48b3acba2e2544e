// toMatchToolSequence: the tool calls of a whole run against a list of turns.

import type { CallOrder, Tolerances } from "../../cassette/index.js";
import { MAX_SEQUENCE_PAIRS } from "../limits.js";
import { handleAdvice } from "./baseline/command.js";
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
   * How much the order counts, in the words of `DiffOptions.order`. The run is what is a `subset`, and may leave calls of the
   * list out, or a `superset`, and may make others as well. Default `strict`.
   */
  readonly mode?: CallOrder;
  /** In which ways arguments may differ from the expected ones. Default: in none. */
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
      `expected tool calls that are not these (${order}), but they are:\n${table()}\n` +
      "Remove .not, or make sure that the changed agent ran.";
    return { pass: true, message };
  }
  const faults = rows.filter(({ state }) => state !== "same" && state !== "free");
  return {
    pass: false,
    message: () =>
      `expected ${MEANINGS[mode]} (${order}), but ${faultsText(faults)}:\n${table()}\n` +
      (mode === "strict" && matchSequence(sides, "unordered").isMatch ? OTHER_TURNS : "") +
      "Correct the list, or the prompt, tool description or tool list that led the model elsewhere." +
      handleAdvice(this, received),
    expected: faults.flatMap(({ expected: item }) => (item === undefined ? [] : [describeExpected(expected[item])])),
    actual: faults.flatMap(({ made }) => (made === undefined ? [] : [describeMade(calls[made])])),
  };
}

const MEANINGS: Readonly<Record<SequenceMode, string>> = {
  strict: "these tool calls in these turns and no others",
  in_order: "these tool calls in this order, others in between",
  unordered: "these tool calls and no others, in whatever turns",
  subset: "no tool calls but these, and not all of them",
  superset: "all of these tool calls, and maybe others",
};

const OTHER_TURNS = "The same calls, in other turns: calls of one turn are a list in the list.\n";

function faultsText(faults: readonly Row[]): string {
  const kinds = Object.entries(WORDS).flatMap(([state, words]) => {
    const count = faults.filter((row) => row.state === state).length;
    return count === 0 ? [] : [`${count} ${count === 1 ? "is" : "are"} ${words}`];
  });
  return kinds.join(", ");
}

const WORDS = { changed: "called with other arguments", missing: "missing", extra: "not among them" };

function assertSize(expected: readonly ExpectedCall[], calls: readonly MadeCall[]): void {
  if (expected.length * calls.length <= MAX_SEQUENCE_PAIRS) return;
  const what = `${expected.length} expected calls can be any of ${calls.length}, which is too many to pair`;
  throw misuse(NAME, what, `The limit is ${MAX_SEQUENCE_PAIRS} pairs; compare cassettes with toHaveNoDriftFrom.`);
}

/** Each pair is compared once at most. */
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
