// Losses of JSON.parse: the digits of a number that a double does not keep, and all but the last of equal keys.

import { endOfString } from "./bounded-json.js";

/** Most digits that a double needs. A fraction with at most as many was printed from a double. */
const DOUBLE_DIGITS = 17;

const NUMBER = /-?\d[\d.eE+-]*/y;

/** The first key that occurs twice in its object, or number that parsing changes. With `within`, only values under these keys count. */
export function findDropped(text: string, within?: readonly string[]): string | undefined {
  const levels: { keys: Set<string> | undefined; key: string; isWatched: boolean }[] = [];
  let expectsKey = false;
  const isWatched = (): boolean => {
    const top = levels.at(-1);
    return within === undefined || top?.isWatched === true || within.includes(top?.key ?? "");
  };
  for (let at = 0; at < text.length; at++) {
    const top = levels.at(-1);
    const character = text.charAt(at);
    if (character === "{" || character === "[") {
      levels.push({ keys: character === "{" ? new Set() : undefined, key: "", isWatched: isWatched() });
      expectsKey = character === "{";
    } else if (character === "}" || character === "]") levels.pop();
    else if (character === ",") expectsKey = top?.keys !== undefined;
    else if (character === ":") expectsKey = false;
    else if (character === '"') {
      const start = at;
      at = endOfString(text, at + 1);
      if (!expectsKey || top?.keys === undefined) continue;
      const written = text.slice(start, at + 1);
      top.key = JSON.parse(written) as string;
      if (top.keys.has(top.key) && (within === undefined || top.isWatched)) return written;
      top.keys.add(top.key);
    } else if (character === "-" || (character >= "0" && character <= "9")) {
      NUMBER.lastIndex = at;
      const written = NUMBER.exec(text)?.[0] ?? character;
      at += written.length - 1;
      if (isWatched() && !isKept(written)) return written;
    }
  }
  return undefined;
}

/** {@link findDropped} for the arguments of calls in a body. Only a long run of digits can be a number that is rounded. */
export function findDroppedArgument(body: string): string | undefined {
  return /\d{16}/.test(body) ? findDropped(body, ["input", "arguments", "args", "seed"]) : undefined;
}

function isKept(written: string): boolean {
  if (written.length < DOUBLE_DIGITS - 1 && !/e/i.test(written)) return true;
  const number = Number(written);
  if (!Number.isFinite(number)) return false;
  if (sameDecimal(written, String(number))) return true;
  const { digits, exponent } = toDecimal(written);
  return exponent < 0 && digits.length <= DOUBLE_DIGITS && number !== 0;
}

/** True for two spellings of one number. Signs are ignored. */
export function sameDecimal(one: string, other: string): boolean {
  const [a, b] = [toDecimal(one), toDecimal(other)];
  return a.digits === b.digits && a.exponent === b.exponent;
}

/** The digits of a number without leading and trailing zeros, and its power of ten. */
function toDecimal(text: string): { digits: string; exponent: number } {
  const [mantissa = "", exponent = "0"] = text.replace(/^-/, "").split(/e/i);
  const [whole = "", fraction = ""] = mantissa.split(".");
  const digits = (whole + fraction).replace(/^0+/, "");
  let end = digits.length;
  while (digits[end - 1] === "0") end--;
  if (end === 0) return { digits: "0", exponent: 0 };
  return { digits: digits.slice(0, end), exponent: Number(exponent) - fraction.length + digits.length - end };
}
