// Prices the answers of one provider. The vendor's own figure counts unless the caller brought a list. A model without a rate leaves
// `costUsd` out, and the rate of a similar name is an estimate: both warn once.

import { isPlainObject } from "../canon/value.js";
import { invalidOptions } from "../errors.js";
import { MAX_RATE, MAX_WARNED_MODELS } from "../limits.js";
import { costOf, findRateName, isSnapshotOf, type Pricing, type Rate } from "../model/pricing.js";
import type { LlmTurnRequest, LlmTurnResponse } from "../model/provider.js";
import type { Ports } from "../ports.js";
import { quoteForeign } from "../text/mask.js";

export interface Pricer {
  /** Adds `costUsd` to a response where the price is known. */
  (response: LlmTurnResponse, request: LlmTurnRequest): LlmTurnResponse;
  /** Throws `invalid-options` if `requirePrice` is set and `model` has no rate. */
  assertPriced(model: string): void;
}

export interface PricerTerms {
  providerName: string;
  /** The model the provider was built with. */
  model: string;
  /** The caller's list, which replaces the default and is copied. */
  pricing?: Pricing | undefined;
  /** The vendor's list. Absent for a vendor without prices. */
  defaultPricing?: Pricing | undefined;
  /** Refuses a model without a rate before it is called. Default false. */
  requirePrice?: boolean | undefined;
}

/** The warnings of each warn function, so that many providers of one name and model warn only once on a console. */
const warnings = new WeakMap<object, Set<string>>();

/** Throws `invalid-options` for a list with a rate that is not a price. */
export function createPricer(terms: PricerTerms, ports: Ports): Pricer {
  const { defaultPricing, providerName } = terms;
  const pricing = terms.pricing === undefined ? undefined : readPricing(terms.pricing, providerName);
  const table = pricing ?? defaultPricing;
  const warned = new Set<string>();
  const warn = (model: string, what: string) => {
    if (warned.has(model) || warned.size >= MAX_WARNED_MODELS) return;
    warned.add(model);
    warnOnce(providerName, model, what, ports);
  };

  const price = (response: LlmTurnResponse, request: LlmTurnRequest): LlmTurnResponse => {
    const { usage, costUsd } = response;
    if (table === undefined || usage === undefined || (costUsd !== undefined && pricing === undefined)) return response;
    const asked = request.settings?.model ?? terms.model;
    const model = findRateName(table, asked) === undefined ? (response.model ?? asked) : asked;
    const name = findRateName(table, model);
    if (name !== undefined) {
      if (!isSnapshotOf(model, name)) warn(model, `so the rate of "${quoteForeign(name)}" is used`);
      return { ...response, costUsd: costOf(usage, table[name] as Rate) };
    }
    if (costUsd === undefined) warn(asked, "so costUsd is left out and maxCostUsd does not apply");
    return response;
  };
  const assertPriced = (model: string) => {
    if (terms.requirePrice !== true || findRateName(table ?? {}, model) !== undefined) return;
    throw invalidOptions(
      `${providerName}: ${noPrice(model)}, and requirePrice is set`,
      `Add { "${quoteForeign(model)}": { input, output } } to pricing, in USD per million tokens.`,
    );
  };
  return Object.assign(price, { assertPriced });
}

function noPrice(model: string): string {
  return `no price is known for the model "${quoteForeign(model)}"`;
}

function warnOnce(providerName: string, model: string, what: string, ports: Ports): void {
  const listener = Reflect.get(ports, "warn") as object;
  const keys = warnings.get(listener) ?? new Set();
  warnings.set(listener, keys);
  const key = JSON.stringify([providerName, model]);
  if (keys.has(key)) return;
  keys.add(key);
  ports.warn(`${providerName}: ${noPrice(model)}, ${what}; pass pricing to set one`);
}

/** A checked copy, which the caller cannot change later. */
function readPricing(pricing: unknown, providerName: string): Pricing {
  if (!isPlainObject(pricing)) refusePricing("pricing must be an object", providerName);
  const rates = Object.entries(pricing).map(([model, value]): [string, Rate] => {
    const rate: unknown = isPlainObject(value) ? { ...value } : undefined;
    if (!isRate(rate)) refusePricing(`pricing["${model}"] is not a rate`, providerName);
    return [model, rate];
  });
  return Object.fromEntries(rates);
}

function refusePricing(what: string, providerName: string): never {
  throw invalidOptions(
    `${providerName}: ${what}`,
    `Give model names with { input, output } in USD per million tokens, from 0 to ${MAX_RATE}.`,
  );
}

function isRate(rate: unknown): rate is Rate {
  if (!isPlainObject(rate)) return false;
  const { input, output, cacheRead = 0, cacheWrite = 0 } = rate;
  return [input, output, cacheRead, cacheWrite].every(
    (figure) => typeof figure === "number" && figure >= 0 && figure <= MAX_RATE,
  );
}
