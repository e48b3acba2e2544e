/** The code of what `act` throws, or "ok". */
export function codeOf(act: () => unknown): unknown {
  try {
    act();
    return "ok";
  } catch (error) {
    return (error as { code?: unknown }).code;
  }
}
