// Runs code that must throw, and returns the error so that tests can check its fields.

export function refusal(run: () => unknown): unknown {
  let value: unknown;
  try {
    value = run();
  } catch (error) {
    return error;
  }
  throw new Error(`nothing was thrown; the value is ${String(value)}`);
}

/** The same for code that must reject. */
export async function rejection(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    (value) => ({ value }),
    (error: unknown) => ({ error }),
  );
  if ("error" in outcome) return outcome.error;
  throw new Error(`nothing was rejected; the value is ${String(outcome.value)}`);
}
