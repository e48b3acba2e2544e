// What every matcher's answer passes through: no secret and nothing that a terminal acts on leaves in a message or a drawn value.
// Where the runner draws nothing by itself, as Jest, the difference is drawn into the message.

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
  // A copy is made where it is needed: matchers also answer inside of other values, many times and without being read.
  if (result.pass || !("actual" in result)) return { ...rest, message: () => safeMessage(message()) };
  const sides = { actual: safeValue(result.actual), expected: safeValue(result.expected) };
  return { ...rest, ...sides, message: () => safeMessage(message()) + drawnText(context, sides) };
}

/** Colours are the runner's own: ESC [ numbers m. */
const COLOUR = /(\u001b\[[\d;]*m)/;

function safeMessage(message: string): string {
  return hideSecrets(message)
    .split(COLOUR)
    .map((part) => (COLOUR.test(part) ? part : toVisibleLines(part, "\n\t")))
    .join("");
}

/**
 * The same value with secrets hidden and controls as escapes in its texts and keys; asymmetric matchers stay as they are. What
 * stands in several places, or holds itself, is copied once.
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

/** Vitest draws `actual` and `expected` itself. */
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
