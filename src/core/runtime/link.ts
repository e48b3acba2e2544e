// The signal of one run, which follows the caller's.

import { joinSignals } from "../time/signal.js";

/** Lets the caller's signal, which may outlive many runs, fire the run's. Returns a function that ends that. */
export function link(signal: AbortSignal | undefined, ends: AbortController): () => void {
  if (signal === undefined) return () => undefined;
  // A signal that follows the caller's: Node warns of a leak at the eleventh listener on one.
  const followed = joinSignals(signal);
  const fire = () => ends.abort(followed.reason);
  if (followed.aborted) fire();
  else followed.addEventListener("abort", fire, { once: true });
  return () => followed.removeEventListener("abort", fire);
}
