// What was thrown: an answer in its own right, or a crash. A crash is an error of the language itself, which code throws that
// did not expect its input, and anything that is no error at all.

import { toVisible } from "../../core/index.js";

const CRASHES = ["TypeError", "RangeError", "ReferenceError", "SyntaxError", "EvalError", "URIError"];

/** True for what nobody throws on purpose to be read by a model. A subclass with a name of its own is on purpose. */
export function isCrash(thrown: unknown): boolean {
  if (!isError(thrown)) return true;
  return CRASHES.includes((thrown.constructor as { name?: string } | undefined)?.name ?? "");
}

/** Those of another realm as well: under Jest, and in any `vm`, Node's own errors are no instances of the `Error` that is seen here. */
export function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || /^\[object (Error|DOMException)\]$/.test(Object.prototype.toString.call(thrown));
}

/** One line: the name and message of an error, the text of anything else. Never throws. */
export function describeThrown(thrown: unknown): string {
  try {
    const text = isError(thrown) ? `${thrown.name}: ${thrown.message}` : `no error but ${String(thrown)}`;
    return toVisible(text.slice(0, 300));
  } catch {
    return "something that has no text";
  }
}
