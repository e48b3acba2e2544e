// A wrong value in an error message.

import { shorten } from "./shorten.js";
import { toVisible } from "./visible.js";

/** Characters of a wrong text that an error shows. */
const MAX_SHOWN_LENGTH = 60;

/** A wrong value as an error names it: text in quotes, so that "5" is not taken for 5, and only the kind of larger values. */
export function showValue(value: unknown): string {
  if (typeof value === "string") return toVisible(JSON.stringify(shorten(value, MAX_SHOWN_LENGTH)));
  if (typeof value === "function") return "a function";
  if (typeof value === "symbol") return "a symbol";
  if (typeof value !== "object" || value === null) return String(value);
  return Array.isArray(value) ? "a list" : "an object";
}
