// Computes the price of a turn from a price list. The lists here are snapshots of the vendors' standard tier. Override them with `pricing`
// when they are out of date. A model that is not listed has no price, which does not mean that it is free.

import { MAX_RATE } from "../limits.js";
import { costToUsd, type Usage } from "./usage.js";

/** USD per million tokens, {@link MAX_RATE} at most. A cache figure that is absent is the `input` figure. */
export interface Rate {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** Rates by model name, such as {@link OPENAI_PRICING} followed by entries of your own. */
export type Pricing = Readonly<Record<string, Rate>>;

/**
 * The most recent day, as YYYY-MM-DD, on which a price in these lists was checked. docs/providers.md names the sources. Vendors may
 * change a price without a new model name.
 */
export const PRICING_DATE = "2026-11-12";

/** Finds the rate of `model`: its own entry, or that of the longest listed name it begins with: `gpt-4o` for `gpt-4o-2024-11-20`. */
export function findRate(pricing: Pricing, model: string): Rate | undefined {
  const name = findRateName(pricing, model);
  return name === undefined ? undefined : pricing[name];
}

/** Finds the listed name of a model's rate. No letter or digit may follow the name: `gpt-50` is not `gpt-5`. */
export function findRateName(pricing: Pricing, model: string): string | undefined {
  if (Object.hasOwn(pricing, model)) return model;
  let longest: string | undefined;
  for (const name of Object.keys(pricing)) {
    if (beginsWith(model, name) && name.length > (longest?.length ?? 0)) longest = name;
  }
  return longest;
}

function beginsWith(model: string, name: string): boolean {
  return name !== "" && model.startsWith(name) && !/^[a-z\d]/i.test(model.slice(name.length));
}

/**
 * Suffixes that still name the same model: `-latest`, `-preview`, and the date or number of a snapshot (`-2024-11-20`, `@20250514`,
 * `-0613`, `-08-2024`, `-001`), optionally followed by Bedrock's `-v2:0`.
 */
const SNAPSHOT =
  /^(?:[-:]latest|-preview|(?:-preview)?[-@](?:0\d\d|\d{4}|\d{6}|\d{8}|\d{4}-\d\d-\d\d|\d\d-\d{4})(?:-v\d+:\d+)?)?$/;

/** True if `model` is `name` itself or a dated release of it, which has the same price. */
export function isSnapshotOf(model: string, name: string): boolean {
  return model.startsWith(name) && SNAPSHOT.test(model.slice(name.length));
}

/** Rates keep six decimals, so that a token costs a whole number of the parts of a `Cost`. */
const RATE_SCALE = 1_000_000;
const PARTS_PER_MICRO_CENT = 10_000;

/** Computes the price of `usage` in whole micro-cents, rounded once. {@link costOf} does not round. */
export function priceOf(usage: Usage, rate: Rate): number {
  return Math.round(partsOf(usage, rate) / PARTS_PER_MICRO_CENT);
}

/** Computes the price of `usage` in USD, exact to 1e-12 USD, as in the `costUsd` of a response. */
export function costOf(usage: Usage, rate: Rate): number {
  const parts = partsOf(usage, rate);
  return costToUsd({ microCents: Math.floor(parts / PARTS_PER_MICRO_CENT), parts: parts % PARTS_PER_MICRO_CENT });
}

/** In parts of 1e-12 USD. Cached tokens are part of `inputTokens`, reasoning of `outputTokens`: neither counts twice. A bad count is 0. */
function partsOf(usage: Usage, rate: Rate): number {
  const input = toTokens(usage.inputTokens);
  const read = Math.min(input, toTokens(usage.cacheReadTokens));
  const written = Math.min(input - read, toTokens(usage.cacheWriteTokens));
  return (
    (input - read - written) * scale(rate.input) +
    read * scale(rate.cacheRead ?? rate.input) +
    written * scale(rate.cacheWrite ?? rate.input) +
    toTokens(usage.outputTokens) * scale(rate.output)
  );
}

/** Scales a rate. An invalid figure becomes 0 or {@link MAX_RATE}, whichever is nearer, so that a price is always a number. */
function scale(usdPerMillion: number): number {
  return Math.round(Math.min(Math.max(usdPerMillion || 0, 0), MAX_RATE) * RATE_SCALE);
}

function toTokens(count: number | undefined): number {
  return count !== undefined && Number.isSafeInteger(count) && count > 0 ? count : 0;
}
