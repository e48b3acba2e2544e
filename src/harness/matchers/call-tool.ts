// toCallTool: the model called this tool with these arguments. The tool's result does not matter.

import { defined } from "../../core/index.js";
import type { Tolerances } from "../../cassette/index.js";
import { usesText } from "./baseline/comparison.js";
import { handleAdvice } from "../text/rerun-commands.js";
import {
  ARGS_HINT,
  assertArgs,
  assertName,
  callLines,
  callText,
  compareCall,
  expectedText,
  nearestFirst,
  type ComparedCall,
  type ExpectedCall,
} from "./expected-call.js";
import { assertOptions, misuse, type MatcherContext, type MatcherResult } from "./matcher.js";
import { madeCallsOf } from "./run-result.js";

const NAME = "toCallTool";
const SHOWN_CALLS = 5;

/** The options of `toCallTool`. */
export interface CallToolOptions {
  /** How the arguments may differ from the expected ones. Default: not at all. */
  readonly tolerances?: Tolerances;
}

/** Without `args`, any call of the tool counts. With `args`, which may hold asymmetric matchers, all arguments must be equal. */
export function callTool(this: MatcherContext, received: unknown, name: unknown, ...rest: unknown[]): MatcherResult {
  const expected = parseCall(NAME, name, rest);
  const { calls } = madeCallsOf(NAME, received);
  const compared = nearestFirst(calls.map((call) => compareCall(this, expected, call)));
  const wanted = expectedText(expected);
  const [nearest] = compared;
  if (nearest?.differences?.length === 0) {
    const { call, uses = [] } = nearest;
    const message = () =>
      `expected no call of ${wanted}, but turn ${call.turn} made it: ${callText(call)}.\n` +
      `Remove .not, or correct the prompt or tool list that led the model to this call.${usesText(uses)}`;
    return { pass: true, message };
  }
  const isDrawn = nearest?.differences !== undefined && expected.args !== undefined;
  return {
    pass: false,
    message: () => failureText(wanted, compared) + handleAdvice(this, received),
    ...(isDrawn ? { actual: nearest.call.malformedArguments ?? nearest.call.arguments, expected: expected.args } : {}),
  };
}

/** Parses a name, then optional arguments, then options. */
export function parseCall(matcher: string, name: unknown, rest: readonly unknown[]): ExpectedCall {
  assertName(matcher, name);
  if (rest.length === 0) return { name };
  const [args, options] = rest;
  // Options must have `tolerances`: even an empty object without it is refused.
  const hasOptions = rest.length === 2 && Object.hasOwn(options ?? {}, "tolerances");
  if (hasOptions) assertOptions(matcher, options, { tolerances: "tolerances" });
  else if (rest.length > 2 || options !== undefined) {
    throw misuse(matcher, "it takes a name, one arguments object, and { tolerances }", ARGS_HINT);
  }
  assertArgs(matcher, args);
  const { tolerances } = (options ?? {}) as CallToolOptions;
  return { name, args, ...defined({ tolerances }) };
}

function failureText(wanted: string, compared: readonly ComparedCall[]): string {
  const advice = "Correct the expectation, or the prompt, tool description or tool list that misled the model.";
  if (compared.length === 0) return `expected a call of ${wanted}, but no tool was called.\n${advice}`;
  const others =
    compared.length === 1 ? "the only call differs" : `none of the ${compared.length} calls matches (nearest first)`;
  return `expected a call of ${wanted}, but ${others}:\n${callLines(compared, SHOWN_CALLS).join("\n")}\n${advice}`;
}
