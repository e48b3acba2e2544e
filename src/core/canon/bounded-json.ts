// The nesting of a JSON text, checked before it is parsed: JSON.parse takes seconds for millions of open brackets (measured).

import { MAX_JSON_DEPTH } from "../limits.js";

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

/** The offset of the first bracket that opens more than `limit` containers at once, or undefined. `text` need not be JSON. No recursion. */
export function findTooDeep(text: string, limit: number): number | undefined {
  let depth = 0;
  for (let offset = 0; offset < text.length; offset++) {
    const unit = text.charCodeAt(offset);
    if (unit === QUOTE) {
      offset = endOfString(text, offset + 1);
    } else if (unit === 0x5b || unit === 0x7b) {
      depth += 1;
      if (depth > limit) return offset;
    } else if (unit === 0x5d || unit === 0x7d) {
      depth -= 1;
    }
  }
  return undefined;
}

/** `JSON.parse` for untrusted text. Nesting deeper than {@link MAX_JSON_DEPTH} is a SyntaxError, found before parsing. */
export function parseBoundedJson(text: string): unknown {
  const offset = findTooDeep(text, MAX_JSON_DEPTH);
  if (offset !== undefined) throw new SyntaxError(`nested deeper than ${MAX_JSON_DEPTH} levels at ${offset}`);
  return JSON.parse(text) as unknown;
}

/** {@link parseBoundedJson}, or undefined for text that it refuses. */
export function tryParseJson(text: string): unknown {
  try {
    return parseBoundedJson(text);
  } catch {
    return undefined;
  }
}

/** The offset of the closing quote (RFC 8259 §7), or that of the end of a text without one. */
export function endOfString(text: string, start: number): number {
  let from = start;
  for (;;) {
    // A search for one character is several times as fast as a look at each.
    const quote = text.indexOf('"', from);
    if (quote === -1) return text.length;
    let first = quote;
    while (first > from && text.charCodeAt(first - 1) === BACKSLASH) first--;
    if ((quote - first) % 2 === 0) return quote;
    from = quote + 1;
  }
}
