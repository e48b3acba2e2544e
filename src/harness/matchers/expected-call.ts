// A call as a test expects it, and how a call that was made compares with it.

import type { Tolerances, ToleranceUse } from "../../cassette/index.js";
import { defined, isPlainObject, plural } from "../../core/index.js";
import { equalityOf, findArgumentDifferences, type ArgumentDifference } from "./arguments.js";
import { misuse, type MatcherContext } from "./matcher.js";
import type { MadeCall } from "./run-result.js";
import { compareTolerated } from "./tolerated.js";
import { describeValue, showExpected } from "../text/describe.js";
import { cutText } from "../text/hide.js";

/** A tool's name for any call of it; with `args` the call with exactly these. Asymmetric matchers may stand in them. */
export type ToolCallSpec = string | { readonly name: string; readonly args?: object };

/** Without `args` any call of the tool is meant. */
export interface ExpectedCall {
  name: string;
  args?: object;
  /** In which ways the arguments may differ. */
  tolerances?: Tolerances;
}

/** A call that was made, and in which places it is not the expected one; `undefined` for another tool's. */
export interface ComparedCall {
  call: MadeCall;
  differences: ArgumentDifference[] | undefined;
  /** What made the rest equal. */
  uses?: readonly ToleranceUse[];
}

const MAX_PLACES = 3;
const ARGS_HINT = "Pass one object with all arguments (expect.any and the like may stand in it), or none for any call.";

/** Throws for a name that is none. */
export function assertName(matcher: string, name: unknown): asserts name is string {
  if (typeof name === "string" && name !== "") return;
  throw misuse(matcher, `the tool's name is ${describeValue(name)}`, "Pass the name of a tool, then its arguments.");
}

/** Throws for what is no object of arguments. `undefined` is refused: a misspelt variable must not turn into "any arguments". */
export function assertArgs(matcher: string, args: unknown): asserts args is object {
  if (typeof args === "object" && args !== null && !Array.isArray(args)) return;
  throw misuse(matcher, `the arguments are ${describeValue(args)}`, ARGS_HINT);
}

/** `spec` read from a test. */
export function parseCallSpec(matcher: string, spec: unknown, tolerances?: Tolerances): ExpectedCall {
  const shared = defined({ tolerances });
  if (!isPlainObject(spec)) {
    assertName(matcher, spec);
    return { name: spec, ...shared };
  }
  const { name, args, ...unknown } = spec;
  if (Object.keys(unknown).length > 0) {
    throw misuse(matcher, `a call has no ${Object.keys(unknown).join(", ")}`, "A call is { name, args? }, or a name.");
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

/** Calls of the tool first, by how little they differ; then the others. Equals keep the order they were made in. */
export function nearestFirst(compared: readonly ComparedCall[]): ComparedCall[] {
  const distance = ({ differences }: ComparedCall): number => differences?.length ?? Infinity;
  return compared.toSorted((a, b) => (distance(a) === distance(b) ? 0 : distance(a) - distance(b)));
}

/** `name(arguments)`, or the name alone. */
export function expectedText({ name, args }: ExpectedCall): string {
  return `${name}${args === undefined ? "" : `(${cutText(showExpected(args))})`}`;
}

export function callText({ name, arguments: args, malformedArguments }: MadeCall): string {
  return `${cutText(name)}(${cutText(showExpected(malformedArguments ?? args))})`;
}

/** A call with its turn, and below it the places where it is not the expected one. */
export function comparedLines({ call, differences }: ComparedCall): string[] {
  return [`  turn ${call.turn}: ${callText(call)}`, ...differenceLines(differences ?? [])];
}

/** One line a place, three at most. */
export function differenceLines(differences: readonly ArgumentDifference[]): string[] {
  const lines = differences.slice(0, MAX_PLACES).map(({ pointer, ...sides }) => {
    const [expected, actual] = (["expected", "actual"] as const).map((side) =>
      Object.hasOwn(sides, side) ? cutText(showExpected(sides[side])) : "nothing",
    );
    return `    ${pointer === "" ? "the whole" : cutText(pointer)}: expected ${expected}, was ${actual}`;
  });
  const rest = differences.length - lines.length;
  return rest > 0 ? [...lines, `    and ${plural(rest, "more place")}`] : lines;
}

/** At most `max` calls, each with its places. */
export function callLines(compared: readonly ComparedCall[], max: number): string[] {
  const lines = compared.slice(0, max).flatMap(comparedLines);
  const rest = compared.length - max;
  return rest > 0 ? [...lines, `  and ${plural(rest, "more call")}`] : lines;
}
