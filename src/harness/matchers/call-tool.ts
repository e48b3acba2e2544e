// toCallTool: the model asked for this tool, with these arguments. What the tool made of it does not matter here.

import { defined, plural } from "../../core/index.js";
import type { Tolerances } from "../../cassette/index.js";
import { usesText } from "./baseline/comparison.js";
import { handleAdvice } from "./baseline/command.js";
import {
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
const MAX_CALLS = 5;

/** The options of `toCallTool`. */
export interface CallToolOptions {
  /** In which ways the arguments may differ from the expected ones. Default: in none. */
  readonly tolerances?: Tolerances;
}

/** Without `args` any call of the tool counts. With them they must be equal as a whole; asymmetric matchers may stand in. */
export function callTool(this: MatcherContext, received: unknown, name: unknown, ...rest: unknown[]): MatcherResult {
  const expected = parseCall(NAME, name, rest);
  const { calls } = madeCallsOf(NAME, received);
  const compared = nearestFirst(calls.map((call) => compareCall(this, expected, call)));
  const wanted = expectedText(expected);
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
  const isDrawn = nearest?.differences !== undefined && expected.args !== undefined;
  return {
    pass: false,
    message: () => failureText(wanted, compared) + handleAdvice(this, received),
    ...(isDrawn ? { actual: nearest.call.malformedArguments ?? nearest.call.arguments, expected: expected.args } : {}),
  };
}

/** A name, and behind it nothing, one object of arguments, or that and options. */
export function parseCall(matcher: string, name: unknown, rest: readonly unknown[]): ExpectedCall {
  assertName(matcher, name);
  if (rest.length === 0) return { name };
  const [args, options] = rest;
  // An empty second object is refused like any other: it is no options.
  const hasOptions = rest.length === 2 && Object.hasOwn(options ?? {}, "tolerances");
  if (hasOptions) assertOptions(matcher, options, { tolerances: "tolerances" });
  else if (rest.length > 2 || options !== undefined) {
    const hint = "Pass one object with all arguments (expect.any and the like may stand in it), or none for any call.";
    throw misuse(matcher, "it takes a name, one arguments object and tolerances", hint);
  }
  assertArgs(matcher, args);
  const { tolerances } = (options ?? {}) as CallToolOptions;
  return { name, args, ...defined({ tolerances }) };
}

function failureText(wanted: string, compared: readonly ComparedCall[]): string {
  const advice = "Correct the expectation, or the prompt, tool description or tool list that led the model elsewhere.";
  if (compared.length === 0) return `expected a call of ${wanted}, but no tool was called.\n${advice}`;
  return (
    `expected a call of ${wanted}, but it is none of the ${plural(compared.length, "call")} made, nearest first:\n` +
    `${callLines(compared, MAX_CALLS).join("\n")}\n${advice}`
  );
}
