// The provider of each vendor. Each function builds a provider of one model, and throws `invalid-options` at once, not at
// the first turn. The wire is loaded by the first turn.

import { invalidOptions } from "../errors.js";
import type { LlmProviderAdapter } from "../model/provider.js";
import type { AnyVendorOptions, KeyedVendorOptions } from "../providers/vendor-options.js";
import { createVendorProvider } from "../providers/vendor.js";
import { showValue } from "../text/show.js";
import type { AnthropicOptions } from "./anthropic/traits.js";
import type { CohereOptions } from "./cohere/traits.js";
import type { OllamaOptions } from "./ollama/traits.js";
import type { OpenAiOptions } from "./openai/traits.js";
import type { ResponsesOptions } from "./responses/traits.js";
import { isWireName, TURN_PATHS, VENDOR_TABLE, WIRE_NAMES, type WireName } from "./table.js";
import type { Wire } from "./vendor.js";

/** Creates a provider of OpenAI's chat completions API, or of another host that speaks it. Throws `AgentError` `invalid-options`. */
export function openaiProvider(options: OpenAiOptions): LlmProviderAdapter {
  return providerOf("openai", options);
}

/** Creates a provider of OpenAI's Responses API, or of another host that speaks it. Throws `AgentError` `invalid-options`. */
export function responsesProvider(options: ResponsesOptions): LlmProviderAdapter {
  return providerOf("responses", options);
}

/** Creates a provider of Anthropic's Messages API. Throws `AgentError` `invalid-options`. */
export function anthropicProvider(options: AnthropicOptions): LlmProviderAdapter {
  return providerOf("anthropic", options);
}

/** Creates a provider of Google's Gemini API (`generateContent`), at AI Studio or at Vertex AI. Throws `AgentError` `invalid-options`. */
export function geminiProvider(options: KeyedVendorOptions): LlmProviderAdapter {
  return providerOf("gemini", options);
}

/**
 * Creates a provider of Amazon Bedrock's Converse API. `apiKey` is a Bedrock API key, and `baseURL` names the region, by default
 * us-east-1. Throws `AgentError` `invalid-options`.
 */
export function bedrockProvider(options: KeyedVendorOptions): LlmProviderAdapter {
  return providerOf("bedrock", options);
}

/** Creates a provider of Cohere's chat API (v2). Throws `AgentError` `invalid-options`. */
export function cohereProvider(options: CohereOptions): LlmProviderAdapter {
  return providerOf("cohere", options);
}

/** Creates a provider of Ollama's own chat API. Throws `AgentError` `invalid-options`. */
export function ollamaProvider(options: OllamaOptions): LlmProviderAdapter {
  return providerOf("ollama", options);
}

function providerOf(name: WireName, options: AnyVendorOptions): LlmProviderAdapter {
  const { traits, load } = VENDOR_TABLE[name];
  return createVendorProvider(traits, load, options, TURN_PATHS);
}

/**
 * Loads the wire of a vendor: its HTTP protocol, from the server's side. Rejects with `AgentError` `invalid-options` for a name that no
 * wire has.
 */
export async function loadWire(name: WireName): Promise<Wire> {
  if (isWireName(name)) return VENDOR_TABLE[name].load();
  throw invalidOptions(`loadWire: ${showValue(name)} is not a wire`, `The wires are ${WIRE_NAMES.join(", ")}.`);
}
