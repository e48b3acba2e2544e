// OpenAI's chat completions API, and the many that speak it: Azure, Together, Fireworks, OpenRouter, vLLM and others. Not
// the responses API.

import type { LlmProviderAdapter } from "../model/provider.js";
import { decodeOpenAi } from "./openai-decode.js";
import { encodeOpenAi, type MaxTokensField } from "./openai-encode.js";
import { openVendor, type KeyedVendorOptions } from "./vendor.js";

/** Options of any host that speaks chat completions. */
export interface OpenAiOptions extends KeyedVendorOptions {
  /**
   * Where `settings.maxTokens` goes. Default `max_completion_tokens` at OpenAI and Azure, whose reasoning models refuse the
   * older name, and `max_tokens` everywhere else.
   */
  maxTokensField?: MaxTokensField;
}

/** Builds an adapter for one model. Throws `invalid-options` here rather than at the first turn. */
export function openaiProvider(options: OpenAiOptions): LlmProviderAdapter {
  const vendor = openVendor(options, {
    vendor: "openai",
    defaultBaseURL: "https://api.openai.com/v1",
    path: "/chat/completions",
    needsKey: true,
  });
  const headers = { authorization: `Bearer ${options.apiKey}` };
  const encoding = { model: options.model, maxTokensField: options.maxTokensField ?? fieldFor(vendor.url.hostname) };

  return {
    name: vendor.name,
    async turn(request) {
      return decodeOpenAi(await vendor.post(encodeOpenAi(request, encoding), headers, request), vendor.decoding);
    },
  };
}

function fieldFor(hostname: string): MaxTokensField {
  return /(^|\.)(openai\.com|openai\.azure\.com)$/.test(hostname) ? "max_completion_tokens" : "max_tokens";
}
