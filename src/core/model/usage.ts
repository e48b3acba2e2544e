// Tokens and money. Money is counted in integer micro-cents (1e-8 USD), so that sums are exact; USD is a view.

/** Tokens of one turn as the vendor reports them. `inputTokens` includes what was read from or written to a cache. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  cacheReadTokens?: number;
  cacheWriteTokens?: number;
  reasoningTokens?: number;
}

/** Usage summed over turns. `costUsd` is absent when no turn reported a price, which is not the same as zero. */
export interface UsageTotal {
  inputTokens: number;
  outputTokens: number;
  costUsd?: number;
}

const MICRO_CENTS_PER_USD = 100_000_000;

export function toMicroCents(usd: number): number {
  return Math.round(usd * MICRO_CENTS_PER_USD);
}

export function toUsd(microCents: number): number {
  return microCents / MICRO_CENTS_PER_USD;
}
