// Google's list prices of Gemini.

import type { Pricing } from "../../model/pricing.js";

/**
 * Prices of text tokens at the paid tier of the Gemini API, checked up to 2026-03-28. Thoughts count as output. The prices do not cover
 * prompts over 200,000 tokens of the Pro models, audio, cache storage, tools run by the vendor and batch discounts.
 */
export const GEMINI_PRICING: Pricing = {
  "gemini-3.1-pro-preview": { input: 2, output: 12 },
  "gemini-3-pro-preview": { input: 2, output: 12, cacheRead: 0.2 },
  "gemini-3-flash-preview": { input: 0.5, output: 3, cacheRead: 0.05 },
  "gemini-2.5-pro": { input: 1.25, output: 10, cacheRead: 0.125 },
  "gemini-2.5-flash": { input: 0.3, output: 2.5, cacheRead: 0.03 },
  "gemini-2.5-flash-lite": { input: 0.1, output: 0.4, cacheRead: 0.01 },
  "gemini-2.0-flash": { input: 0.1, output: 0.4 },
  "gemini-2.0-flash-lite": { input: 0.075, output: 0.3 },
};
