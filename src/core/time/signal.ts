// Signals that follow others.

/** The signals that each joined one follows, for as long as it lives. */
const followed = new WeakMap<AbortSignal, readonly AbortSignal[]>();

/**
 * A signal that fires with the first of `signals`, and keeps them alive. `AbortSignal.any` of Node 20 does not: the signal of
 * `AbortSignal.timeout` is collected if nothing else holds it, and never fires.
 */
export function joinSignals(...signals: AbortSignal[]): AbortSignal {
  const joined = AbortSignal.any(signals);
  followed.set(joined, signals);
  return joined;
}
