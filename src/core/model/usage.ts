// Tokens and money. Money is counted in integer micro-cents (1e-8 USD), and sums of tiny prices in integer parts of them: sums are exact.

/** Tokens of one turn as the vendor reports them. `inputTokens` includes what was read from or written to a cache. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
  reasoningTokens?: number;
}

/** Usage summed over turns. `costUsd` is absent if no turn reported a price, which is not zero. */
export interface UsageTotal {
  inputTokens: number;
  outputTokens: number;
  costUsd?: number;
}

const MICRO_CENTS_PER_USD = 100_000_000;

/** USD in micro-cents (1e-8 USD), rounded to the nearest integer. */
export function toMicroCents(usd: number): number {
  return Math.round(usd * MICRO_CENTS_PER_USD);
}

export function toUsd(microCents: number): number {
  return microCents / MICRO_CENTS_PER_USD;
}

const PARTS_PER_MICRO_CENT = 10_000;

/** A sum of prices, exact to 1e-12 USD. Both are integers; `parts` is less than a whole micro-cent. */
export interface Cost {
  readonly microCents: number;
  readonly parts: number;
}

/** An amount above 0 is one part at least, so that no price and no limit vanishes. For figures of 0 or more. */
export function toCost(usd: number): Cost {
  // A figure beyond a double stays below Infinity, which has no remainder.
  const exact = Math.min(usd * MICRO_CENTS_PER_USD, Number.MAX_VALUE);
  const whole = Math.floor(exact);
  const parts = Math.round((exact - whole) * PARTS_PER_MICRO_CENT);
  return carry(whole, usd > 0 && whole === 0 ? Math.max(parts, 1) : parts);
}

export function addCost(left: Cost, right: Cost): Cost {
  return carry(left.microCents + right.microCents, left.parts + right.parts);
}

/** True when `cost` is `limit` or more. */
export function reachesCost(cost: Cost, limit: Cost): boolean {
  return cost.microCents === limit.microCents ? cost.parts >= limit.parts : cost.microCents > limit.microCents;
}

/** An amount in USD: the nearest double while the amount is below 9,000 USD, else to within its last digits. */
export function costToUsd({ microCents, parts }: Cost): number {
  const all = microCents * PARTS_PER_MICRO_CENT + parts;
  // One division of an exact integer gives the double nearest to the amount, 1.2e-11 and not 1.2000000000000002e-11.
  if (Number.isSafeInteger(all)) return all / (MICRO_CENTS_PER_USD * PARTS_PER_MICRO_CENT);
  return toUsd(microCents + parts / PARTS_PER_MICRO_CENT);
}

function carry(microCents: number, parts: number): Cost {
  const over = Math.floor(parts / PARTS_PER_MICRO_CENT);
  return { microCents: microCents + over, parts: parts - over * PARTS_PER_MICRO_CENT };
}
