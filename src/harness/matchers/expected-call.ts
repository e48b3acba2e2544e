// An expected call, and its comparison with an actual call.

import type { Tolerances, ToleranceUse } from "../../cassette/index.js";
import { defined, isPlainObject, plural } from "../../core/index.js";
import { compareTolerated, equalityOf, findArgumentDifferences, type ArgumentDifference } from "./arguments.js";
import { misuse, type MatcherContext } from "./matcher.js";
import type { MadeCall } from "./run-result.js";
import { atMost } from "../text/at-most.js";
import { describeValue, showExpected } from "../text/describe.js";
import { cutText } from "../text/hide.js";

/** A tool's name, for any call of it, or a call with exactly these `args`. They may hold asymmetric matchers. */
export type ToolCallSpec = string | { readonly name: string; readonly args?: object };

/** The expected call. Without `args`, any call of the tool matches. */
export interface ExpectedCall {
  name: string;
  args?: object;
  tolerances?: Tolerances;
}

/** An actual call and its differences from the expected one, `undefined` for a call of another tool. */
export interface ComparedCall {
  call: MadeCall;
  differences: ArgumentDifference[] | undefined;
  /** The tolerances that made differing places equal. */
  uses?: readonly ToleranceUse[];
}

const SHOWN_PLACES = 3;
export const ARGS_HINT =
  "Pass one object with all arguments, which may contain matchers such as expect.any. Omit it to match any call.";

/** Throws unless `name` is a non-empty string. */
export function assertName(matcher: string, name: unknown): asserts name is string {
  if (typeof name === "string" && name !== "") return;
  throw misuse(matcher, `the tool's name is ${describeValue(name)}`, "Pass the name of a tool, then its arguments.");
}

/** Throws unless `args` is an object. `undefined` throws too: a mistyped property must not mean "any arguments". */
export function assertArgs(matcher: string, args: unknown): asserts args is object {
  if (typeof args === "object" && args !== null && !Array.isArray(args)) return;
  throw misuse(matcher, `the arguments are ${describeValue(args)}`, ARGS_HINT);
}

export function parseCallSpec(matcher: string, spec: unknown, tolerances?: Tolerances): ExpectedCall {
  const shared = defined({ tolerances });
  if (!isPlainObject(spec)) {
    assertName(matcher, spec);
    return { name: spec, ...shared };
  }
  const { name, args, ...unknown } = spec;
  if (Object.keys(unknown).length > 0) {
    throw misuse(matcher, `a call has no ${Object.keys(unknown).join(", ")}`, "Pass { name, args? }, or a name.");
  }
  assertName(matcher, name);
  if (!Object.hasOwn(spec, "args")) return { name, ...shared };
  assertArgs(matcher, args);
  return { name, args, ...shared };
}

export function compareCall(context: MatcherContext, expected: ExpectedCall, call: MadeCall): ComparedCall {
  const { name, args, tolerances } = expected;
  if (call.name !== name) return { call, differences: undefined };
  if (args === undefined) return { call, differences: [] };
  const { malformedArguments } = call;
  if (malformedArguments !== undefined) {
    return { call, differences: [{ pointer: "", expected: args, actual: malformedArguments }] };
  }
  const equality = equalityOf(context);
  const tolerated =
    tolerances === undefined
      ? undefined
      : compareTolerated(tolerances, name, args, call.arguments, (wanted, actual) => equality(actual, wanted));
  return { call, ...(tolerated ?? { differences: findArgumentDifferences(context, args, call.arguments) }) };
}

/** Sorts calls by their number of differences, calls of other tools last. Ties keep their order. */
export function nearestFirst(compared: readonly ComparedCall[]): ComparedCall[] {
  const distance = ({ differences }: ComparedCall): number => differences?.length ?? Infinity;
  return compared.toSorted((a, b) => (distance(a) === distance(b) ? 0 : distance(a) - distance(b)));
}

export function expectedText({ name, args }: ExpectedCall): string {
  return `${name}${args === undefined ? "" : `(${cutText(showExpected(args))})`}`;
}

export function callText({ name, arguments: args, malformedArguments }: MadeCall): string {
  return `${cutText(name)}(${cutText(showExpected(malformedArguments ?? args))})`;
}

/** One line per difference, at most three. */
export function differenceLines(differences: readonly ArgumentDifference[]): string[] {
  const toLine = ({ pointer, ...sides }: ArgumentDifference): string => {
    const [expected, actual] = (["expected", "actual"] as const).map((side) =>
      Object.hasOwn(sides, side) ? cutText(showExpected(sides[side])) : "nothing",
    );
    return `    ${pointer === "" ? "arguments" : cutText(pointer)}: expected ${expected}, was ${actual}`;
  };
  return atMost(differences, SHOWN_PLACES, toLine, (rest) => `    and ${plural(rest, "more place")}`);
}

/** Lists at most `max` calls, each with its differences. */
export function callLines(compared: readonly ComparedCall[], max: number): string[] {
  const toLines = ({ call, differences = [] }: ComparedCall): string[] => [
    `  turn ${call.turn}: ${callText(call)}`,
    ...differenceLines(differences),
  ];
  return atMost(compared, max, toLines, (rest) => [`  and ${plural(rest, "more call")}`]).flat();
}
