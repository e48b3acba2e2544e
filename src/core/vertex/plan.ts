// Builds the entries of a fallback chain from the models in a graph vertex. Field names are those of the file.

import { defined } from "../defined.js";
import { AgentError } from "../errors.js";
import type { LlmProviderAdapter } from "../model/provider.js";
import type { Backoff } from "../providers/fallback/backoff.js";
import type { FallbackEntry } from "../providers/fallback/entry.js";

/** The number of attempts with the first choice. */
export interface AuthoredRetry {
  readonly max: number;
  readonly backoff?: Backoff;
}

/** A further model of a vertex. `max_attempts` is a whole number of 1 or more. */
export interface AuthoredFallback {
  readonly provider: string;
  readonly model: string;
  /** Number of attempts. Default 1. */
  readonly max_attempts?: number;
}

/** The models of a vertex as its author wrote them, for {@link toFallbackEntries}. */
export interface AuthoredAgent {
  readonly provider: string;
  readonly model: string;
  readonly retry?: AuthoredRetry;
  readonly fallback_chain?: readonly AuthoredFallback[];
}

/** Settings of a vertex that override its agent's. A `retry` replaces the whole of the agent's, including its backoff. */
export interface AuthoredNode {
  readonly model?: string;
  readonly retry?: AuthoredRetry;
}

/** The adapter for an authored id, or undefined if the host has none. The key stays within the adapter. */
export type ResolveProvider = (providerId: string) => LlmProviderAdapter | undefined;

/** The entries for `fallbackProvider`, first choice first. Throws `AgentError` `capability-missing` with every id that cannot be resolved. */
export function toFallbackEntries(
  { agent, node }: { agent: AuthoredAgent; node: AuthoredNode },
  resolveProvider: ResolveProvider,
): FallbackEntry[] {
  const { fallback_chain: fallbacks = [] } = agent;
  const providers = resolveAll([agent.provider, ...fallbacks.map(({ provider }) => provider)], resolveProvider);
  const of = (id: string) => providers.get(id) as LlmProviderAdapter;
  const { max = 1, backoff } = node.retry ?? agent.retry ?? {};
  return [
    {
      ...{ id: agent.provider, provider: of(agent.provider), model: node.model ?? agent.model, maxAttempts: max },
      ...defined({ backoff }),
    },
    ...fallbacks.map(({ provider, model, max_attempts = 1 }) => {
      return { id: provider, provider: of(provider), model, maxAttempts: max_attempts };
    }),
  ];
}

/** An id is resolved once, so that entries of one provider cool down together. */
function resolveAll(ids: readonly string[], resolveProvider: ResolveProvider): Map<string, LlmProviderAdapter> {
  const providers = new Map<string, LlmProviderAdapter>();
  const missing: string[] = [];
  for (const id of new Set(ids)) {
    const provider = resolveProvider(id);
    if (provider === undefined) missing.push(JSON.stringify(id));
    else providers.set(id, provider);
  }
  if (missing.length === 0) return providers;
  throw new AgentError("capability-missing", `the host has no provider for ${missing.join(", ")}`, {
    hint: "Let resolveProvider return an adapter for every provider that an agent or its fallback_chain names.",
  });
}
