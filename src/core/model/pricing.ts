// What a turn costs by a price list. The lists here are snapshots of what the vendors published for their standard tier, to be
// overridden by `pricing` where they are out of date. A model that no list knows has no price, which is not the same as being
// free.

import { costToUsd, type Usage } from "./usage.js";

/** USD per million tokens, {@link MAX_RATE} at most. A cache figure that is absent is the `input` figure. */
export interface Rate {
  readonly input: number;
  readonly output: number;
  readonly cacheRead?: number;
  readonly cacheWrite?: number;
}

/** The highest figure of a rate. With it the price of any count of tokens is a finite number. */
export const MAX_RATE = 1_000_000;

/** Rates by model name, such as {@link OPENAI_PRICING} with entries of one's own after it. */
export type Pricing = Readonly<Record<string, Rate>>;

/**
 * The newest day for which a figure below was checked, as YYYY-MM-DD; docs/providers.md names the sources. Vendors change
 * prices without a new model name.
 */
export const PRICING_DATE = "2026-11-12";

/**
 * Text tokens of OpenAI's models at the standard tier, checked up to 2026-10-27. A prompt over 272,000 tokens, audio tokens,
 * tools of the vendor, batch rebates and promotions are not in it.
 */
export const OPENAI_PRICING: Pricing = {
  "gpt-6.1-sol": { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 },
  "gpt-6.1-terra": { input: 1, output: 5, cacheRead: 0.05, cacheWrite: 1.25 },
  "gpt-6-astra": { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 },
  "gpt-6-sol": { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 },
  "gpt-6-luna": { input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125 },
  "gpt-5.6": { input: 5, output: 30, cacheRead: 0.5 },
  "gpt-5.6-sol": { input: 5, output: 30, cacheRead: 0.5 },
  "gpt-5.6-terra": { input: 2, output: 12, cacheRead: 0.2 },
  "gpt-5.6-luna": { input: 0.2, output: 1.2, cacheRead: 0.02 },
  "gpt-5.5": { input: 5, output: 30, cacheRead: 0.5 },
  "gpt-5.5-pro": { input: 30, output: 180 },
  "gpt-5.4": { input: 2.5, output: 15, cacheRead: 0.25 },
  "gpt-5.4-mini": { input: 0.75, output: 4.5, cacheRead: 0.075 },
  "gpt-5.4-nano": { input: 0.2, output: 1.25, cacheRead: 0.02 },
  "gpt-5.4-pro": { input: 30, output: 180 },
  "gpt-5.3-codex": { input: 1.75, output: 14, cacheRead: 0.175 },
  "gpt-5.2-codex": { input: 1.75, output: 14, cacheRead: 0.175 },
  "gpt-5.2": { input: 1.75, output: 14, cacheRead: 0.175 },
  "gpt-5.2-chat-latest": { input: 1.75, output: 14, cacheRead: 0.175 },
  "gpt-5.2-pro": { input: 21, output: 168 },
  "gpt-5.1": { input: 1.25, output: 10, cacheRead: 0.125 },
  "gpt-5.1-chat-latest": { input: 1.25, output: 10, cacheRead: 0.125 },
  "gpt-5.1-codex": { input: 1.25, output: 10, cacheRead: 0.125 },
  "gpt-5.1-codex-max": { input: 1.25, output: 10, cacheRead: 0.125 },
  "gpt-5.1-codex-mini": { input: 0.25, output: 2, cacheRead: 0.025 },
  "gpt-5": { input: 1.25, output: 10, cacheRead: 0.125 },
  "gpt-5-chat-latest": { input: 1.25, output: 10, cacheRead: 0.125 },
  "gpt-5-codex": { input: 1.25, output: 10, cacheRead: 0.125 },
  "gpt-5-mini": { input: 0.25, output: 2, cacheRead: 0.025 },
  "gpt-5-nano": { input: 0.05, output: 0.4, cacheRead: 0.005 },
  "gpt-5-pro": { input: 15, output: 120 },
  "gpt-4.1": { input: 2, output: 8, cacheRead: 0.5 },
  "gpt-4.1-mini": { input: 0.4, output: 1.6, cacheRead: 0.1 },
  "gpt-4.1-nano": { input: 0.1, output: 0.4, cacheRead: 0.025 },
  "gpt-4.5-preview": { input: 75, output: 150, cacheRead: 37.5 },
  "gpt-4o": { input: 2.5, output: 10, cacheRead: 1.25 },
  "gpt-4o-2024-05-13": { input: 5, output: 15 },
  "gpt-4o-realtime-preview": { input: 5, output: 20, cacheRead: 2.5 },
  "gpt-4o-mini": { input: 0.15, output: 0.6, cacheRead: 0.075 },
  "gpt-4o-mini-realtime-preview": { input: 0.6, output: 2.4, cacheRead: 0.3 },
  "chatgpt-4o-latest": { input: 5, output: 15 },
  "gpt-4-turbo": { input: 10, output: 30 },
  "gpt-4-0125-preview": { input: 10, output: 30 },
  "gpt-4-1106-preview": { input: 10, output: 30 },
  "gpt-4-vision-preview": { input: 10, output: 30 },
  "gpt-4-1106-vision-preview": { input: 10, output: 30 },
  "gpt-4-32k": { input: 60, output: 120 },
  "gpt-4": { input: 30, output: 60 },
  "gpt-3.5-turbo": { input: 0.5, output: 1.5 },
  "gpt-3.5-turbo-1106": { input: 1, output: 2 },
  "gpt-3.5-turbo-0613": { input: 1.5, output: 2 },
  "gpt-3.5-turbo-0301": { input: 1.5, output: 2 },
  "gpt-3.5-turbo-16k": { input: 3, output: 4 },
  "gpt-3.5-turbo-instruct": { input: 1.5, output: 2 },
  o1: { input: 15, output: 60, cacheRead: 7.5 },
  "o1-mini": { input: 1.1, output: 4.4, cacheRead: 0.55 },
  "o1-pro": { input: 150, output: 600 },
  o3: { input: 2, output: 8, cacheRead: 0.5 },
  "o3-mini": { input: 1.1, output: 4.4, cacheRead: 0.55 },
  "o3-pro": { input: 20, output: 80 },
  "o3-deep-research": { input: 10, output: 40, cacheRead: 2.5 },
  "o4-mini": { input: 1.1, output: 4.4, cacheRead: 0.275 },
  "o4-mini-deep-research": { input: 2, output: 8, cacheRead: 0.5 },
};

/**
 * Anthropic's models, cache writes at the five-minute rate, checked up to 2026-11-12. Some prompts cost more than listed:
 * over 100,000 tokens for `claude-haiku-5-5`, over 200,000 for `claude-sonnet-4-5` and `claude-sonnet-4`. So does a cache
 * write that is kept for an hour.
 */
export const ANTHROPIC_PRICING: Pricing = {
  "claude-fable-5-2": { input: 8, output: 40, cacheRead: 0.2, cacheWrite: 10 },
  "claude-fable-5-1": { input: 10, output: 50, cacheRead: 0.25, cacheWrite: 12.5 },
  "claude-fable-5": { input: 10, output: 50, cacheRead: 1, cacheWrite: 12.5 },
  "claude-opus-5-5": { input: 4, output: 20, cacheRead: 0.2, cacheWrite: 5 },
  "claude-opus-5": { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  "claude-sonnet-5-5": { input: 2, output: 10, cacheRead: 0.1, cacheWrite: 2.5 },
  "claude-sonnet-5": { input: 2, output: 10, cacheRead: 0.2, cacheWrite: 2.5 },
  "claude-haiku-5-5": { input: 0.1, output: 0.5, cacheRead: 0.01, cacheWrite: 0.125 },
  "claude-opus-4-8": { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  "claude-opus-4-7": { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  "claude-opus-4-6": { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  "claude-opus-4-5": { input: 5, output: 25, cacheRead: 0.5, cacheWrite: 6.25 },
  "claude-opus-4-1": { input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75 },
  "claude-opus-4-0": { input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75 },
  "claude-opus-4": { input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75 },
  "claude-sonnet-4-6": { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  "claude-sonnet-4-5": { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  "claude-sonnet-4-0": { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  "claude-sonnet-4": { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  "claude-haiku-4-5": { input: 1, output: 5, cacheRead: 0.1, cacheWrite: 1.25 },
  "claude-3-7-sonnet": { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  "claude-3-5-sonnet": { input: 3, output: 15, cacheRead: 0.3, cacheWrite: 3.75 },
  "claude-3-5-haiku": { input: 0.8, output: 4, cacheRead: 0.08, cacheWrite: 1 },
  "claude-3-opus": { input: 15, output: 75, cacheRead: 1.5, cacheWrite: 18.75 },
  "claude-3-sonnet": { input: 3, output: 15 },
  "claude-3-haiku": { input: 0.25, output: 1.25, cacheRead: 0.03, cacheWrite: 0.3 },
};

/** The rate of `model`: its own entry, else that of the longest listed name it begins with, such as `gpt-4o` for `gpt-4o-2024-11-20`. */
export function findRate(pricing: Pricing, model: string): Rate | undefined {
  const name = findRateName(pricing, model);
  return name === undefined ? undefined : pricing[name];
}

/** The name under which {@link findRate} finds the rate. A name ends where no letter or digit follows: `gpt-50` is no `gpt-5`. */
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
 * What may follow the name of a model without making it another one: `-latest`, `-preview`, and the date or number of a
 * snapshot (`-2024-11-20`, `@20250514`, `-0613`, `-08-2024`, `-001`), with Bedrock's `-v2:0` after it.
 */
const SNAPSHOT =
  /^(?:[-:]latest|-preview|(?:-preview)?[-@](?:0\d\d|\d{4}|\d{6}|\d{8}|\d{4}-\d\d-\d\d|\d\d-\d{4})(?:-v\d+:\d+)?)?$/;

/** Whether `model` is the model `name` itself or a dated release of it, so that their price is one. */
export function isSnapshotOf(model: string, name: string): boolean {
  return model.startsWith(name) && SNAPSHOT.test(model.slice(name.length));
}

/** Six decimals are kept of a rate, so that a token costs a whole number of the parts of a `Cost`. */
const RATE_SCALE = 1_000_000;
const PARTS_PER_MICRO_CENT = 10_000;

/** The price of `usage` in whole micro-cents, rounded once; {@link costOf} rounds nothing. */
export function priceOf(usage: Usage, rate: Rate): number {
  return Math.round(partsOf(usage, rate) / PARTS_PER_MICRO_CENT);
}

/** The price of `usage` in USD as a response carries it, exact to 1e-12 USD. */
export function costOf(usage: Usage, rate: Rate): number {
  const parts = partsOf(usage, rate);
  return costToUsd({ microCents: Math.floor(parts / PARTS_PER_MICRO_CENT), parts: parts % PARTS_PER_MICRO_CENT });
}

/**
 * In parts of 1e-12 USD. What was read from or written to a cache is part of `inputTokens`, and reasoning is
 * part of `outputTokens`: neither is counted twice. A count that is no count is 0.
 */
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

/** A figure that is no rate is 0 or {@link MAX_RATE}, whichever is nearer, so that a price is always a number. */
function scale(usdPerMillion: number): number {
  return Math.round(Math.min(Math.max(usdPerMillion || 0, 0), MAX_RATE) * RATE_SCALE);
}

function toTokens(count: number | undefined): number {
  return count !== undefined && Number.isSafeInteger(count) && count > 0 ? count : 0;
}
