// Providers that a fallback chain leaves alone for a while after a temporary failure, in this turn and in later ones.

import type { LlmErrorKind } from "../../errors.js";
import type { LlmProviderAdapter } from "../../model/provider.js";
import type { Ports } from "../../ports.js";

export interface Cooldown {
  /** The rest of a provider's cooldown, and the kind of failure that began it. */
  of(provider: LlmProviderAdapter): { remainingMs: number; kind: LlmErrorKind } | undefined;
  start(provider: LlmProviderAdapter, ms: number, kind: LlmErrorKind): void;
}

/** Kept by provider, so that entries with the same one cool down together. Of two cooldowns the one that ends later holds. */
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
