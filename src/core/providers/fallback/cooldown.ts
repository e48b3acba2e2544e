// Which providers a fallback chain leaves alone for now. A provider that just failed in a way that passes is not asked again
// until its time is over, by this turn or by a later one.

import type { LlmErrorKind } from "../../errors.js";
import type { LlmProviderAdapter } from "../../model/provider.js";
import type { Ports } from "../../ports.js";

/** The rest of a provider's cooldown, and the kind of failure that began it. */
export interface Cooling {
  remainingMs: number;
  kind: LlmErrorKind;
}

export interface Cooldown {
  of(provider: LlmProviderAdapter): Cooling | undefined;
  start(provider: LlmProviderAdapter, ms: number, kind: LlmErrorKind): void;
}

/**
 * Kept by provider: two entries of a chain that share an adapter cool down together. Of two cooldowns, as turns at the same
 * time begin them, the one that ends later holds.
 */
export function createCooldown({ now }: Pick<Ports, "now">): Cooldown {
  const ends = new Map<LlmProviderAdapter, { at: number; kind: LlmErrorKind }>();
  return {
    of(provider) {
      const end = ends.get(provider);
      if (end === undefined) return undefined;
      const remainingMs = end.at - now();
      if (remainingMs > 0) return { remainingMs, kind: end.kind };
      ends.delete(provider);
      return undefined;
    },
    start(provider, ms, kind) {
      const at = now() + ms;
      if (ms > 0 && at > (ends.get(provider)?.at ?? 0)) ends.set(provider, { at, kind });
    },
  };
}
