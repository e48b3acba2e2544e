// Providers of Anthropic's Messages API.

import type { LlmProviderAdapter } from "../../model/provider.js";
import { vendorProvider } from "../vendors.js";
import { anthropic, type AnthropicOptions } from "./vendor.js";

/** Builds an adapter for one model. Throws `invalid-options` here rather than at the first turn. */
export function anthropicProvider(options: AnthropicOptions): LlmProviderAdapter {
  return vendorProvider(anthropic, options);
}
