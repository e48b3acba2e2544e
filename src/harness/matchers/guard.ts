// Every matcher's result passes through here. Secrets are hidden and control characters escaped in messages and diffed values.
// For Jest, which draws no diff itself, the diff is added to the message.

import { isPlainObject, plural, toVisibleLines } from "../../core/index.js";
import { MAX_SHOWN_DEPTH } from "../limits.js";
import type { Matcher, MatcherContext, MatcherResult } from "./matcher.js";
import { atMost } from "../text/at-most.js";
import { hideSecrets } from "../text/hide.js";

const SHOWN_LINES = 60;

export function guarded(matcher: Matcher): Matcher {
  return function (this: MatcherContext, received, ...rest) {
    const result = matcher.call(this, received, ...rest);
    return result instanceof Promise ? result.then((settled) => guard(this, settled)) : guard(this, result);
  };
}

function guard(context: MatcherContext, result: MatcherResult): MatcherResult {
  const { message, ...rest } = result;
  // Copies only if needed: as part of other values, matchers run many times and nobody reads the result.
  if (result.pass || !("actual" in result)) return { ...rest, message: () => safeMessage(message()) };
  const sides = { actual: safeValue(result.actual), expected: safeValue(result.expected) };
  return { ...rest, ...sides, message: () => safeMessage(message()) + drawnText(context, sides) };
}

/** The runner's own colour codes: ESC [ numbers m. */
const COLOUR = /(\u001b\[[\d;]*m)/;

function safeMessage(message: string): string {
  return hideSecrets(message)
    .split(COLOUR)
    .map((part) => (COLOUR.test(part) ? part : toVisibleLines(part, "\n\t")))
    .join("");
}

/**
 * Copies a value, hiding secrets and escaping control characters in strings and keys. Asymmetric matchers stay as they are.
 * Shared and circular parts are copied once.
 */
function safeValue(value: unknown, known: Map<unknown, unknown> = new Map(), depth = 0): unknown {
  if (depth > MAX_SHOWN_DEPTH) return "…";
  if (typeof value === "string") return safeText(value);
  if (!Array.isArray(value) && !isPlainObject(value)) return value;
  if (known.has(value)) return known.get(value);
  if (Array.isArray(value)) {
    const items: unknown[] = [];
    known.set(value, items);
    for (const item of value) items.push(safeValue(item, known, depth + 1));
    return items;
  }
  const copy: Record<string, unknown> = {};
  known.set(value, copy);
  for (const [key, item] of Object.entries(value)) {
    const safe = { value: safeValue(item, known, depth + 1), enumerable: true, configurable: true, writable: true };
    Object.defineProperty(copy, safeText(key), safe);
  }
  return copy;
}

function safeText(text: string): string {
  return toVisibleLines(hideSecrets(text), "\n\t");
}

/** The diff for Jest, or an empty string for Vitest, which draws `actual` and `expected` itself. */
function drawnText(
  { dontThrow, utils }: MatcherContext,
  { actual, expected }: Pick<MatcherResult, "actual" | "expected">,
) {
  if (dontThrow === undefined) return "";
  const drawn = utils.diff?.(expected, actual);
  if (typeof drawn !== "string" || drawn === "") return "";
  const lines = atMost(drawn.split("\n"), SHOWN_LINES, String, (rest) => `and ${plural(rest, "more line")}`);
  return `\n\n${lines.join("\n")}`;
}
