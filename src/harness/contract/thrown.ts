// Distinguishes crashes (errors of the language itself, and thrown values that are not errors) from errors that are answers.

import { toVisible } from "../../core/index.js";

const CRASHES = ["TypeError", "RangeError", "ReferenceError", "SyntaxError", "EvalError", "URIError"];

/** True if a thrown value is a crash. A subclass with its own name is not. */
export function isCrash(thrown: unknown): boolean {
  if (!isError(thrown)) return true;
  return CRASHES.includes((thrown.constructor as { name?: string } | undefined)?.name ?? "");
}

/** True for an error of any realm. Under Jest and in any `vm`, Node's own errors are not instances of our `Error`. */
export function isError(thrown: unknown): thrown is Error {
  return thrown instanceof Error || /^\[object (Error|DOMException)\]$/.test(Object.prototype.toString.call(thrown));
}

/** The name and message of an error, or the text of any other value, on one line. Never throws. */
export function describeThrown(thrown: unknown): string {
  try {
    const text = isError(thrown) ? `${thrown.name}: ${thrown.message}` : `no error but ${String(thrown)}`;
    return toVisible(text.slice(0, 300));
  } catch {
    return "something that has no text";
  }
}
