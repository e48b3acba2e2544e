// toCallToolTimes: the model made this call exactly the given number of times.

import { plural } from "../../core/index.js";
import { handleAdvice } from "../text/rerun-commands.js";
import { usesText } from "./baseline/comparison.js";
import { parseCall } from "./call-tool.js";
import { callLines, compareCall, expectedText, nearestFirst, type ComparedCall } from "./expected-call.js";
import { misuse, type MatcherContext, type MatcherResult } from "./matcher.js";
import { madeCallsOf } from "./run-result.js";
import { describeValue } from "../text/describe.js";

const NAME = "toCallToolTimes";
const SHOWN_CALLS = 10;
const SHOWN_NEAR = 3;

/** `times` may be 0. With `args`, only calls with exactly these arguments count. */
export function callToolTimes(
  this: MatcherContext,
  received: unknown,
  name: unknown,
  times: unknown,
  ...rest: unknown[]
): MatcherResult {
  const expected = parseCall(NAME, name, rest);
  if (!Number.isSafeInteger(times) || (times as number) < 0) {
    throw misuse(NAME, `the number of calls is ${describeValue(times)}`, "Pass a whole number of 0 or more.");
  }
  const compared = madeCallsOf(NAME, received).calls.map((call) => compareCall(this, expected, call));
  const made = compared.filter(({ differences }) => differences?.length === 0);
  const wanted = expectedText(expected);
  if (made.length === times) {
    const message = () =>
      `expected the number of calls of ${wanted} not to be ${times}, but it is:\n` +
      `${callLines(made, SHOWN_CALLS).join("\n")}\n` +
      `Remove .not, or correct the number.${usesText(made.flatMap(({ uses = [] }) => uses))}`;
    return { pass: true, message };
  }
  return {
    pass: false,
    message: () => failureText(wanted, times as number, made, compared) + handleAdvice(this, received),
    actual: made.length,
    expected: times,
  };
}

function failureText(
  wanted: string,
  times: number,
  counted: readonly ComparedCall[],
  compared: readonly ComparedCall[],
): string {
  const made =
    counted.length === 0 ? "none was made." : `${counted.length} ${counted.length === 1 ? "was" : "were"} made:`;
  const lines = [`expected ${plural(times, "call")} of ${wanted}, but ${made}`, ...callLines(counted, SHOWN_CALLS)];
  const others = nearestFirst(compared.filter(({ differences }) => differences?.length !== 0));
  if (counted.length < times && others.length > 0) {
    lines.push("Other calls, nearest first:", ...callLines(others, SHOWN_NEAR));
  }
  lines.push(
    "Correct the number, or the prompt, tool description or tool results that led the model to a different one.",
  );
  return lines.join("\n");
}
