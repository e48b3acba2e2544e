// What was thrown: an answer in its own right, or a crash. A crash is an error of the language itself, which code throws that
// did not expect its input, and anything that is no error at all.

import { toVisible } from "../../core/index.js";

const CRASHES: readonly (new () => Error)[] = [TypeError, RangeError, ReferenceError, SyntaxError, EvalError, URIError];

/** True for what nobody throws on purpose to be read by a model. A subclass with a name of its own is on purpose. */
export function isCrash(thrown: unknown): boolean {
  if (!(thrown instanceof Error)) return true;
  return CRASHES.some((type) => thrown.constructor === type);
}

/** One line: the name and message of an error, the text of anything else. Never throws. */
export function describeThrown(thrown: unknown): string {
  try {
    const text = thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : `no error but ${String(thrown)}`;
    return toVisible(text.slice(0, 300));
  } catch {
    return "something that has no text";
  }
}
