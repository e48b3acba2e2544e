// Cohere's list prices.

import type { Pricing } from "../../model/pricing.js";

/**
 * Prices of Cohere's models, checked up to 2026-05. Cohere bills `billed_units`, but usage also counts the tokens that Cohere adds to a
 * prompt, so a cost by these prices is an upper limit.
 */
export const COHERE_PRICING: Pricing = {
  "command-a-reasoning-08-2025": { input: 2.5, output: 10 },
  "command-a-vision-07-2025": { input: 2.5, output: 10 },
  "command-a-03-2025": { input: 2.5, output: 10 },
  "command-r7b-12-2024": { input: 0.0375, output: 0.15 },
  "command-r-plus-08-2024": { input: 2.5, output: 10 },
  "command-r-plus-04-2024": { input: 3, output: 15 },
  "command-r-08-2024": { input: 0.15, output: 0.6 },
  "command-r-03-2024": { input: 0.5, output: 1.5 },
};
