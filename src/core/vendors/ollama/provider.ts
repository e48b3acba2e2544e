// Providers of Ollama's own chat API.

import type { LlmProviderAdapter } from "../../model/provider.js";
import { vendorProvider } from "../vendors.js";
import { ollama, type OllamaOptions } from "./vendor.js";

/** Builds an adapter for one model. Throws `invalid-options` here rather than at the first turn. */
export function ollamaProvider(options: OllamaOptions): LlmProviderAdapter {
  return vendorProvider(ollama, options);
}
