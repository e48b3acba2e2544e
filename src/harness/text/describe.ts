// Values in the messages of matchers and options: short, on one line, without secrets or invisible characters.

import { isPlainObject, isThenable } from "../../core/index.js";
import { MAX_SHOWN_DEPTH, MAX_SHOWN_VALUES } from "../limits.js";
import { cutText } from "./hide.js";

const SHOWN_KEYS = 6;

/** A wrong value for a sentence such as "it was given …". */
export function describeValue(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (typeof value === "string") return `the text ${cutText(JSON.stringify(value))}`;
  if (typeof value === "function") return "a function";
  if (typeof value !== "object")
    return `the ${typeof value} ${(value as number | bigint | boolean | symbol).toString()}`;
  if (Array.isArray(value)) return `a list of ${value.length}`;
  if (isThenable(value)) return "a Promise that was not awaited";
  const keys = Object.keys(value);
  if (keys.length === 0) return "an object without keys";
  const rest = keys.length > SHOWN_KEYS ? ", …" : "";
  return `an object with ${cutText(keys.slice(0, SHOWN_KEYS).join(", "))}${rest}`;
}

/** JSON on one line, with asymmetric matchers as the runner names them: `{"city":Any<String>}`. */
export function showExpected(value: unknown): string {
  return showWithin(value, 0, { left: MAX_SHOWN_VALUES });
}

function showWithin(value: unknown, depth: number, room: { left: number }): string {
  if (depth > MAX_SHOWN_DEPTH || room.left-- <= 0) return "…";
  const show = (item: unknown): string => showWithin(item, depth + 1, room);
  if (isAsymmetric(value)) return showMatcher(value, show);
  if (Array.isArray(value)) return `[${value.map(show).join(",")}]`;
  if (isPlainObject(value)) {
    const entries = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}:${show(item)}`);
    return `{${entries.join(",")}}`;
  }
  if (typeof value === "string") return JSON.stringify(value);
  if (Object.is(value, -0)) return "-0";
  return typeof value === "number" || typeof value === "boolean" ? String(value) : describeValue(value);
}

interface Asymmetric {
  asymmetricMatch(other: unknown): boolean;
  toAsymmetricMatcher?: () => string;
  readonly sample?: unknown;
}

function isAsymmetric(value: unknown): value is Asymmetric {
  return typeof (value as Partial<Asymmetric> | null | undefined)?.asymmetricMatch === "function";
}

function showMatcher(matcher: Asymmetric, show: (value: unknown) => string): string {
  const { toAsymmetricMatcher, toString, sample } = matcher as Partial<Record<keyof Asymmetric | "toString", unknown>>;
  if (typeof toAsymmetricMatcher === "function") return `${matcher.toAsymmetricMatcher?.()}`;
  const name = typeof toString === "function" ? `${toString.call(matcher)}` : "a matcher of one's own";
  if (sample === undefined) return name;
  return `${name} ${sample instanceof RegExp ? String(sample) : show(sample)}`;
}
