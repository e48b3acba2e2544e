// One entry of a fallback chain: the provider, the model and the number of attempts.

import { providerName, type LlmProviderAdapter, type LlmTurnRequest } from "../../model/provider.js";
import { isObject, unknownOptions } from "../../options.js";
import { showValue } from "../../text/show.js";
import { backoffProblem, type Backoff } from "./backoff.js";

/** One provider of a chain, and how often it is tried. */
export interface FallbackEntry {
  /** The id that `keyFor` is asked for. Without one, the provider keeps its own key. */
  readonly id?: string;
  readonly provider: LlmProviderAdapter;
  /** Replaces the provider's own model. A request's `settings.model` reaches only the first entry. */
  readonly model?: string;
  /** Calls in one turn, the first included. A refreshed key allows one more. Default 1. */
  readonly maxAttempts?: number;
  /** The wait between two calls. Default only as long as the vendor wants. */
  readonly backoff?: Backoff;
}

const ENTRY_OPTIONS = ["id", "provider", "model", "maxAttempts", "backoff"];

export function entryProblem(entry: unknown): string {
  if (!isObject(entry)) return `it is ${showValue(entry)} and not { provider, … }`;
  const { id, provider, model, maxAttempts = 1, backoff } = entry;
  if (typeof entry["turn"] === "function") return "it is a provider itself: write { provider }";
  const unknown = unknownOptions(entry, ENTRY_OPTIONS);
  const problems = [
    unknown.length === 0 ? "" : `unknown option ${unknown.join(", ")} (there are ${ENTRY_OPTIONS.join(", ")})`,
    isObject(provider) && typeof provider["turn"] === "function" ? "" : "provider has no turn method",
    id === undefined || (typeof id === "string" && id !== "") ? "" : `id is ${showValue(id)}: pass a text, or omit it`,
    model === undefined ? "" : modelProblem(model),
    Number.isSafeInteger(maxAttempts) && Number(maxAttempts) >= 1
      ? ""
      : `maxAttempts is ${showValue(maxAttempts)}: give a positive whole number`,
    backoffProblem(backoff),
  ];
  return problems.filter((problem) => problem !== "").join("; ");
}

function modelProblem(model: unknown): string {
  if (typeof model !== "string") return `model is ${showValue(model)}: pass a string, or omit it`;
  return model.trim() === "" ? "model is empty: omit it to use the provider's own" : "";
}

/** The request for entry number `index`: other vendors do not know the model of the first. */
export function requestFor(entry: FallbackEntry, index: number, request: LlmTurnRequest): LlmTurnRequest {
  const { settings = {}, ...rest } = request;
  const { model: asked, ...others } = settings;
  const model = entry.model ?? (index === 0 ? asked : undefined);
  if (model === asked) return request;
  const own = model === undefined ? others : { ...others, model };
  return Object.keys(own).length === 0 ? rest : { ...rest, settings: own };
}

/** The model of the request, else the part of the provider's name after the vendor. */
export function modelFor(entry: FallbackEntry, request: LlmTurnRequest): string {
  const name = providerName(entry.provider);
  return request.settings?.model ?? name.slice(name.indexOf(":") + 1);
}

export function speakerOf(entries: readonly FallbackEntry[], index: number): number {
  const entry = entries[index];
  return entries.findIndex(({ provider, model }) => provider === entry?.provider && model === entry.model);
}
