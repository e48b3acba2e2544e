// Exchanges that a provider leaves out, since it answers turns alone. A door can answer them in its place.

import { plural, type LlmProviderAdapter } from "../../core/index.js";

const claimed = new WeakSet<LlmProviderAdapter>();

/** Notes that a door answers the exchanges of this provider, which then does not report them. */
export function claim(provider: LlmProviderAdapter): void {
  claimed.add(provider);
}

/** True if a door answers the exchanges of this provider. */
export function isClaimed(provider: LlmProviderAdapter): boolean {
  return claimed.has(provider);
}

/** Reports the number of exchanges that `provider` leaves out, once, at its first turn. */
export function createLeftOutNote(exchanges: number, warn: (text: string) => void) {
  let isDone = exchanges === 0;
  return (provider: LlmProviderAdapter): void => {
    if (isDone || claimed.has(provider)) return;
    isDone = true;
    warn(`${plural(exchanges, "recorded exchange")} left out: a provider replays turns alone.`);
  };
}
