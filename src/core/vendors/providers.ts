// The provider of each vendor. Each function builds a provider of one model, and throws `invalid-options` at once, not at the first turn.

import type { LlmProviderAdapter } from "../model/provider.js";
import type { KeyedVendorOptions } from "../providers/vendor-options.js";
import { anthropic, type AnthropicOptions } from "./anthropic/vendor.js";
import { gemini } from "./gemini/vendor.js";
import { ollama, type OllamaOptions } from "./ollama/vendor.js";
import { openai, type OpenAiOptions } from "./openai/vendor.js";
import { responses, type ResponsesOptions } from "./responses/vendor.js";
import { vendorProvider } from "./vendors.js";

/** Creates a provider of OpenAI's chat completions API, or of another host that speaks it. Throws `AgentError` `invalid-options`. */
export function openaiProvider(options: OpenAiOptions): LlmProviderAdapter {
  return vendorProvider(openai, options);
}

/** Creates a provider of Anthropic's Messages API. Throws `AgentError` `invalid-options`. */
export function anthropicProvider(options: AnthropicOptions): LlmProviderAdapter {
  return vendorProvider(anthropic, options);
}

/** Creates a provider of Ollama's own chat API. Throws `AgentError` `invalid-options`. */
export function ollamaProvider(options: OllamaOptions): LlmProviderAdapter {
  return vendorProvider(ollama, options);
}

/** A provider of OpenAI's Responses API, or of another host that speaks it. */
export function responsesProvider(options: ResponsesOptions): LlmProviderAdapter {
  return vendorProvider(responses, options);
}

/** A provider of Google's Gemini API (`generateContent`), at AI Studio or at Vertex AI. */
export function geminiProvider(options: KeyedVendorOptions): LlmProviderAdapter {
  return vendorProvider(gemini, options);
}
