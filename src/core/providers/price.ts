// Putting a price on the answers of one provider. The vendor's own figure is taken where there is one and the caller brought
// no list. A model without a rate leaves `costUsd` out, and one with the rate of a like name is an estimate: both warn once.

import { isPlainObject } from "../canon/value.js";
import { invalidOptions } from "../errors.js";
import { costOf, findRateName, isSnapshotOf, MAX_RATE, type Pricing, type Rate } from "../model/pricing.js";
import type { LlmTurnRequest, LlmTurnResponse } from "../model/provider.js";
import type { Ports } from "../ports.js";
import { quoteForeign } from "../text/mask.js";

export interface Pricer {
  /** Adds `costUsd` to a response where the price is known. */
  (response: LlmTurnResponse, request: LlmTurnRequest): LlmTurnResponse;
  /** Throws `invalid-options` where `requirePrice` was asked for and `model` has no rate. */
  assertPriced(model: string): void;
}

export interface PricerTerms {
  providerName: string;
  /** The model the provider was built with. */
  model: string;
  /** The caller's list, used alone, as it is now: it is copied. */
  pricing?: Pricing | undefined;
  /** The vendor's list, for a caller who has none; no list at all for a vendor that reports no cost. */
  defaultPricing?: Pricing | undefined;
  /** Refuses a model without a rate before it is called. Default false. */
  requirePrice?: boolean | undefined;
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
  const warn = (model: string, what: string) => {
    if (warned.has(model) || warned.size >= MAX_WARNINGS) return;
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
  const keys = told.get(listener) ?? new Set();
  told.set(listener, keys);
  const key = JSON.stringify([providerName, model]);
  if (keys.has(key)) return;
  keys.add(key);
  ports.warn(`${providerName}: ${noPrice(model)}, ${what}; pass pricing to set one`);
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
