// Mistral's list prices.

import type { Pricing } from "../../model/pricing.js";

/**
 * Prices of Mistral's models, checked up to 2026-07. Names without a version, such as `mistral-large-latest`, are not listed, because the
 * model and its price change.
 */
export const MISTRAL_PRICING: Pricing = {
  "mistral-large-2512": { input: 0.5, output: 1.5, cacheRead: 0.05 },
  "mistral-large-2411": { input: 2, output: 6 },
  "mistral-medium-2604": { input: 1.5, output: 7.5, cacheRead: 0.15 },
  "mistral-medium-2508": { input: 0.4, output: 2, cacheRead: 0.04 },
  "mistral-medium-2505": { input: 0.4, output: 2, cacheRead: 0.04 },
  "mistral-small-2603": { input: 0.15, output: 0.6, cacheRead: 0.015 },
  "mistral-small-2506": { input: 0.1, output: 0.3, cacheRead: 0.01 },
  "codestral-2508": { input: 0.3, output: 0.9 },
};
