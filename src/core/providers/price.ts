// Putting a price on the answers of one provider. The vendor's own figure is taken where there is one and the caller brought
// no list; a model without a rate leaves `costUsd` out, and that is said once.

import { isPlainObject } from "../canon/value.js";
import { AgentError } from "../errors.js";
import { costOf, findRate, MAX_RATE, type Pricing, type Rate } from "../model/pricing.js";
import type { LlmTurnRequest, LlmTurnResponse } from "../model/provider.js";
import type { Ports } from "../ports.js";
import { quoteForeign } from "./secret.js";

/** Adds `costUsd` to a response where the price is known. */
export type Pricer = (response: LlmTurnResponse, request: LlmTurnRequest) => LlmTurnResponse;

export interface PricerTerms {
  providerName: string;
  /** The model the provider was built with. */
  model: string;
  /** The caller's list, used alone, as it is now: it is copied. */
  pricing?: Pricing | undefined;
  /** The vendor's list, for a caller who has none; no list at all for a vendor that reports no cost. */
  defaultPricing?: Pricing | undefined;
}

/** The most models one provider warns about; a caller may name new ones for ever. */
const MAX_WARNINGS = 20;

/** What each warn function was told, so that many providers of one name and model on one console say it once. */
const told = new WeakMap<object, Set<string>>();

/** Throws `invalid-options` for a list with a rate that is no price. */
export function createPricer(terms: PricerTerms, ports: Ports): Pricer {
  const { defaultPricing, providerName } = terms;
  const pricing = terms.pricing === undefined ? undefined : readPricing(terms.pricing, providerName);
  const table = pricing ?? defaultPricing;
  const warned = new Set<string>();

  return (response, request) => {
    const { usage, costUsd } = response;
    if (table === undefined || usage === undefined || (costUsd !== undefined && pricing === undefined)) return response;
    const asked = request.settings?.model ?? terms.model;
    const rate = findRate(table, asked) ?? findRate(table, response.model ?? asked);
    if (rate !== undefined) return { ...response, costUsd: costOf(usage, rate) };
    if (costUsd === undefined && !warned.has(asked) && warned.size < MAX_WARNINGS) {
      warned.add(asked);
      warnOnce(providerName, asked, ports);
    }
    return response;
  };
}

function warnOnce(providerName: string, model: string, ports: Ports): void {
  const listener = Reflect.get(ports, "warn") as object;
  const keys = told.get(listener) ?? new Set();
  told.set(listener, keys);
  const key = JSON.stringify([providerName, model]);
  if (keys.has(key)) return;
  keys.add(key);
  ports.warn(
    `${providerName}: no price is known for the model "${quoteForeign(model)}", so costUsd is left out and maxCostUsd does ` +
      `not apply; pass pricing to set one`,
  );
}

/** A copy, so that nobody can put a figure in that was not looked at. */
function readPricing(pricing: unknown, providerName: string): Pricing {
  if (!isPlainObject(pricing)) refusePricing("pricing is no table", providerName);
  const rates = Object.entries(pricing).map(([model, value]): [string, Rate] => {
    const rate: unknown = isPlainObject(value) ? { ...value } : undefined;
    if (!isRate(rate)) refusePricing(`pricing["${model}"] is no rate`, providerName);
    return [model, rate];
  });
  return Object.fromEntries(rates);
}

function refusePricing(what: string, providerName: string): never {
  throw new AgentError("invalid-options", `${providerName}: ${what}`, {
    hint: `Give model names with { input, output } in USD per million tokens, from 0 to ${MAX_RATE}.`,
  });
}

function isRate(rate: unknown): rate is Rate {
  if (!isPlainObject(rate)) return false;
  const { input, output, cacheRead = 0, cacheWrite = 0 } = rate;
  return [input, output, cacheRead, cacheWrite].every(
    (figure) => typeof figure === "number" && figure >= 0 && figure <= MAX_RATE,
  );
}
