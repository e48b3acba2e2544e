// What a tool returned, as the text of a tool message: JSON that never fails to serialise, bounded in size.

import { MAX_RESULT_CHARACTERS } from "../limits.js";

export interface ResultText {
  text: string;
  /** How many characters were cut off; 0 when nothing was. */
  cut: number;
}

/**
 * A string as it is, else JSON: a BigInt becomes a string, a circular reference "[Circular]", functions and symbols are dropped, `null` and
 * `undefined` both read `null`. Lone surrogates are replaced by U+FFFD, so that the text can be hashed.
 */
export function toResultText(value: unknown, limit: number = MAX_RESULT_CHARACTERS): ResultText {
  const text = (typeof value === "string" ? value : toJsonText(value)).toWellFormed();
  if (text.length <= limit) return { text, cut: 0 };
  const kept = text.slice(0, limit).toWellFormed();
  const cut = text.length - kept.length;
  return { text: `${kept}\n[… ${cut} more characters were cut off]`, cut };
}

/** As JSON.stringify writes it, which takes a tenth of the time of a walk that looks for cycles (measured) and throws at one. */
function toJsonText(value: unknown): string {
  try {
    return JSON.stringify(value) ?? "null";
  } catch {
    return toTolerantText(value);
  }
}

function toTolerantText(value: unknown): string {
  const open: object[] = [];
  const text = JSON.stringify(value, function (this: object, _key, item: unknown) {
    if (typeof item === "bigint") return item.toString();
    if (typeof item !== "object" || item === null) return item;
    // `this` is the container being written: everything on the stack above it has been left.
    while (open.length > 0 && open.at(-1) !== this) open.pop();
    if (open.includes(item)) return "[Circular]";
    open.push(item);
    return item;
  }) as string | undefined;
  return text ?? "null";
}
