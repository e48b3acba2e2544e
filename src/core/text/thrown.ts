// What was thrown, as text. Anything can be thrown, an object that refuses to be a string among it, and the place that
// reports a failure must not fail itself.

/** `instanceof` for what was thrown. Never throws, though a proxy may answer that question with an error of its own. */
export function isThrown<T>(thrown: unknown, type: abstract new (...args: never[]) => T): thrown is T {
  try {
    return thrown instanceof type;
  } catch {
    return false;
  }
}

/** The message of an error, the text of everything else. Never throws. */
export function thrownText(thrown: unknown): string {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "something that has no text was thrown";
  }
}
