// Providers of OpenAI's chat completions API.

import type { LlmProviderAdapter } from "../../model/provider.js";
import { vendorProvider } from "../vendors.js";
import { openai, type OpenAiOptions } from "./vendor.js";

/** Builds an adapter for one model. Throws `invalid-options` here rather than at the first turn. */
export function openaiProvider(options: OpenAiOptions): LlmProviderAdapter {
  return vendorProvider(openai, options);
}
