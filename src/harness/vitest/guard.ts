// What every matcher's answer passes through: no secret leaves in a message or in the values the runner draws, and where the
// runner draws nothing by itself, as Jest, the difference is drawn into the message.

import { isPlainObject } from "../../core/index.js";
import type { Matcher, MatcherContext, MatcherResult } from "./matcher.js";
import { countText, hideSecrets, MAX_SHOWN_DEPTH } from "./words.js";

const MAX_DRAWN_LINES = 60;

export function guarded(matcher: Matcher): Matcher {
  return function (this: MatcherContext, received, ...rest) {
    const result = matcher.call(this, received, ...rest);
    return result instanceof Promise ? result.then((settled) => guard(this, settled)) : guard(this, result);
  };
}

function guard(context: MatcherContext, result: MatcherResult): MatcherResult {
  const { message, ...rest } = result;
  // A copy is made where it is needed: matchers also answer inside of other values, many times and without being read.
  if (result.pass || !("actual" in result)) return { ...rest, message: () => hideSecrets(message()) };
  const sides = { actual: withoutSecrets(result.actual), expected: withoutSecrets(result.expected) };
  return { ...rest, ...sides, message: () => hideSecrets(message()) + drawnText(context, sides) };
}

/** The same value with secrets hidden in its texts and keys; asymmetric matchers stay as they are. */
function withoutSecrets(value: unknown, depth = 0): unknown {
  if (depth > MAX_SHOWN_DEPTH) return "…";
  if (typeof value === "string") return hideSecrets(value);
  if (Array.isArray(value)) return value.map((item) => withoutSecrets(item, depth + 1));
  if (!isPlainObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [hideSecrets(key), withoutSecrets(item, depth + 1)]),
  );
}

/** Vitest draws `actual` and `expected` itself. */
function drawnText(
  { dontThrow, utils }: MatcherContext,
  { actual, expected }: Pick<MatcherResult, "actual" | "expected">,
) {
  if (dontThrow === undefined) return "";
  const drawn = utils.diff?.(expected, actual);
  if (typeof drawn !== "string" || drawn === "") return "";
  const lines = drawn.split("\n");
  const rest = lines.length - MAX_DRAWN_LINES;
  return `\n\n${lines.slice(0, MAX_DRAWN_LINES).join("\n")}${rest > 0 ? `\nand ${countText(rest, "more line")}` : ""}`;
}
