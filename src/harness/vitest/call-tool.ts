// toCallTool: the model asked for this tool, with these arguments. What the tool made of it does not matter here.

import { callsOf, type RecordedCall, type Tolerances, type ToleranceUse } from "../../cassette/index.js";
import { findMessageFlaw, type LlmMessage } from "../../core/index.js";
import { equalityOf, findArgumentDifferences, type ArgumentDifference } from "./arguments.js";
import { cassetteOf, findCarrier } from "./carrier.js";
import { usesText } from "./comparison.js";
import { assertOptions, misuse, type MatcherContext, type MatcherResult } from "./matcher.js";
import { compareTolerated } from "./tolerated.js";
import { countText, cutText, describeValue, showValue } from "./words.js";

const NAME = "toCallTool";
const MAX_CALLS = 5;
const MAX_PLACES = 3;

export interface CallToolOptions {
  /** In which ways the arguments may differ from the expected ones. Default: in none. */
  readonly tolerances?: Tolerances;
}

type MadeCall = Pick<RecordedCall, "turn" | "name" | "arguments" | "malformedArguments">;

/** A call that was made, and in which places it is not the expected one; `undefined` for another tool's. */
interface ComparedCall {
  call: MadeCall;
  differences: ArgumentDifference[] | undefined;
  /** What made the rest equal. */
  uses?: readonly ToleranceUse[];
}

/** Without `args` any call of the tool counts. With them they must be equal as a whole; asymmetric matchers may stand in. */
export function callTool(this: MatcherContext, received: unknown, name: unknown, ...rest: unknown[]): MatcherResult {
  assertExpectation(name, rest);
  const { tolerances } = (rest[1] ?? {}) as CallToolOptions;
  const calls = madeCalls(received);
  const compared = nearestFirst(calls.map((call) => compare(this, call, name, rest, tolerances)));
  const wanted = `${name}${rest.length === 0 ? "" : `(${cutText(showValue(rest[0]))})`}`;
  const [nearest] = compared;
  if (nearest?.differences?.length === 0) {
    const { call } = nearest;
    return {
      pass: true,
      message: () =>
        `expected no call of ${wanted}, but it was made at turn ${call.turn}: ${callText(call)}.\n` +
        `Take .not away, or mend the prompt or the tool list that led the model to it.${usesText(nearest.uses ?? [])}`,
    };
  }
  const isDrawn = nearest?.differences !== undefined && rest.length > 0;
  return {
    pass: false,
    message: () => failureText(wanted, compared),
    ...(isDrawn ? { actual: nearest.call.malformedArguments ?? nearest.call.arguments, expected: rest[0] } : {}),
  };
}

/** `undefined` in place of arguments is refused: a misspelt variable must not turn into "any arguments". */
function assertExpectation(name: unknown, rest: readonly unknown[]): asserts name is string {
  if (typeof name !== "string" || name === "") {
    throw misuse(NAME, `the tool's name is ${describeValue(name)}`, "Pass the name of a tool, then its arguments.");
  }
  if (rest.length === 0) return;
  const [args] = rest;
  const isObject = typeof args === "object" && args !== null && !Array.isArray(args);
  // An empty second object is refused like any other: it is no options.
  const isAlone = rest.length === 1 || (rest.length === 2 && rest[1] === undefined);
  const hasOptions = rest.length === 2 && Object.hasOwn(rest[1] ?? {}, "tolerances");
  if (hasOptions) assertOptions(NAME, rest[1], { tolerances: "tolerances" });
  if (isObject && (isAlone || hasOptions)) return;
  throw misuse(
    NAME,
    rest.length > 1
      ? "it takes a name, one arguments object and tolerances"
      : `the arguments are ${describeValue(args)}`,
    "Pass one object with all arguments (expect.any and the like may stand in it), or none for any call.",
  );
}

function madeCalls(received: unknown): MadeCall[] {
  if (findCarrier(received) !== undefined) return callsOf(cassetteOf(NAME, received, false));
  const messages = messagesOf(received);
  if (messages !== undefined) return callsIn(messages);
  throw misuse(
    NAME,
    `it needs a run or what carries a cassette and was given ${describeValue(received)}`,
    "Pass the result of run(), a cassette, a recordingProvider, a cassetteProvider, or the handle of useCassette.",
  );
}

function messagesOf(received: unknown): LlmMessage[] | undefined {
  const messages = (received as { messages?: unknown } | null | undefined)?.messages;
  if (!Array.isArray(messages) || messages.length === 0) return undefined;
  return messages.every((message) => findMessageFlaw(message) === undefined) ? (messages as LlmMessage[]) : undefined;
}

function callsIn(messages: readonly LlmMessage[]): MadeCall[] {
  const answers = messages.filter((message) => message.role === "assistant");
  return answers.flatMap(({ toolCalls = [] }, turn) => toolCalls.map((call) => ({ turn, ...call })));
}

function compare(
  context: MatcherContext,
  call: MadeCall,
  name: string,
  rest: readonly unknown[],
  tolerances: Tolerances | undefined,
): ComparedCall {
  if (call.name !== name) return { call, differences: undefined };
  if (rest.length === 0) return { call, differences: [] };
  const { malformedArguments } = call;
  if (malformedArguments === undefined) {
    const equality = equalityOf(context);
    const tolerated =
      tolerances === undefined
        ? undefined
        : compareTolerated(tolerances, name, rest[0], call.arguments, (expected, actual) => equality(actual, expected));
    if (tolerated !== undefined) return { call, ...tolerated };
    return { call, differences: findArgumentDifferences(context, rest[0], call.arguments) };
  }
  return { call, differences: [{ pointer: "", expected: rest[0], actual: malformedArguments }] };
}

/** Calls of the tool first, by how little they differ; then the others. Equals keep the order they were made in. */
function nearestFirst(compared: readonly ComparedCall[]): ComparedCall[] {
  const distance = ({ differences }: ComparedCall): number => differences?.length ?? Infinity;
  return compared.toSorted((a, b) => (distance(a) === distance(b) ? 0 : distance(a) - distance(b)));
}

function failureText(wanted: string, compared: readonly ComparedCall[]): string {
  const advice = "Correct the expectation, or the prompt, tool description or tool list that led the model elsewhere.";
  if (compared.length === 0) return `expected a call of ${wanted}, but no tool was called.\n${advice}`;
  const shown = compared.slice(0, MAX_CALLS).flatMap(linesOf);
  const rest = compared.length - MAX_CALLS;
  if (rest > 0) shown.push(`  and ${countText(rest, "more call")}`);
  return (
    `expected a call of ${wanted}, but it is none of the ${countText(compared.length, "call")} made, nearest first:\n` +
    `${shown.join("\n")}\n${advice}`
  );
}

function linesOf({ call, differences }: ComparedCall): string[] {
  const head = `  turn ${call.turn}: ${callText(call)}`;
  if (differences === undefined) return [head];
  const lines = differences.slice(0, MAX_PLACES).map(({ pointer, ...sides }) => {
    const [expected, actual] = (["expected", "actual"] as const).map((side) =>
      Object.hasOwn(sides, side) ? cutText(showValue(sides[side])) : "nothing",
    );
    return `    ${pointer === "" ? "the whole" : cutText(pointer)}: expected ${expected}, was ${actual}`;
  });
  const rest = differences.length - lines.length;
  return [head, ...lines, ...(rest > 0 ? [`    and ${countText(rest, "more place")}`] : [])];
}

function callText({ name, arguments: args, malformedArguments }: MadeCall): string {
  return `${cutText(name)}(${cutText(showValue(malformedArguments ?? args))})`;
}
