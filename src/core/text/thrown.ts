// Converts a thrown value to text. Anything can be thrown, even an object that cannot become a string, and code that reports a failure
// must not fail.

/** Tests a thrown value with `instanceof`. Never throws, although a proxy may throw when its prototype is read. */
export function isThrown<T>(thrown: unknown, type: abstract new (...args: never[]) => T): thrown is T {
  try {
    return thrown instanceof type;
  } catch {
    return false;
  }
}

/** Returns the message of an error, or any other thrown value as text. Never throws. */
export function thrownText(thrown: unknown): string {
  try {
    // Test runners give errors as plain objects without a prototype, which String() cannot convert.
    const message = (thrown as { message?: unknown } | null | undefined)?.message;
    return String(thrown instanceof Error || typeof message === "string" ? message : thrown);
  } catch {
    return "something that has no text was thrown";
  }
}
