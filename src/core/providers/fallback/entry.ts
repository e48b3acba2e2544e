// One place in a fallback chain: which provider, which model, how often.

import { providerName, type LlmProviderAdapter, type LlmTurnRequest } from "../../model/provider.js";
import { backoffProblem, type Backoff } from "./backoff.js";

/** One provider of a chain, and how often it is asked. */
export interface FallbackEntry {
  readonly provider: LlmProviderAdapter;
  /** Asked for instead of the provider's own model. A request's `settings.model` reaches the first entry alone. */
  readonly model?: string;
  /** Calls in one turn, the first included; one more after a refreshed key. Default 1. */
  readonly maxAttempts?: number;
  /** The wait between two calls. Default none but what the vendor asks for. */
  readonly backoff?: Backoff;
}

/** What is wrong with an entry, or "". */
export function entryProblem({ provider, model = "default", maxAttempts = 1, backoff }: FallbackEntry): string {
  if (typeof provider?.turn !== "function") return "provider has no turn method";
  if (model.trim() === "") return "model is empty: leave it out for the provider's own";
  if (!Number.isSafeInteger(maxAttempts) || maxAttempts < 1) {
    return `maxAttempts is ${String(maxAttempts)}: give a positive whole number`;
  }
  return backoffProblem(backoff);
}

/** The request as entry number `index` gets it: another vendor does not know the model that the first was asked for. */
export function requestFor(entry: FallbackEntry, index: number, request: LlmTurnRequest): LlmTurnRequest {
  const { settings = {}, ...rest } = request;
  const { model: asked, ...others } = settings;
  const model = entry.model ?? (index === 0 ? asked : undefined);
  if (model === asked) return request;
  const own = model === undefined ? others : { ...others, model };
  return Object.keys(own).length === 0 ? rest : { ...rest, settings: own };
}

/** What the entry is asked for, as far as the chain knows: else what stands after the vendor in the provider's name. */
export function modelFor(entry: FallbackEntry, request: LlmTurnRequest): string {
  const name = providerName(entry.provider);
  return request.settings?.model ?? name.slice(name.indexOf(":") + 1);
}

/** The first entry of the same provider and model, which stands for all of them. */
export function speakerOf(entries: readonly FallbackEntry[], index: number): number {
  const entry = entries[index];
  return entries.findIndex(({ provider, model }) => provider === entry?.provider && model === entry.model);
}
