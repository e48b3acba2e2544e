// Anthropic's Messages API.

import type { LlmProviderAdapter } from "../model/provider.js";
import { decodeAnthropic } from "./anthropic-decode.js";
import { encodeAnthropic } from "./anthropic-encode.js";
import { openVendor, type KeyedVendorOptions } from "./vendor.js";

/** Options of the Messages API. */
export interface AnthropicOptions extends KeyedVendorOptions {
  /** For a request whose settings name no `maxTokens`; this API demands one. Default 4096. */
  maxTokens?: number;
}

const API_VERSION = "2023-06-01";

/** Builds an adapter for one model. Throws `invalid-options` here rather than at the first turn. */
export function anthropicProvider(options: AnthropicOptions): LlmProviderAdapter {
  const { model, maxTokens = 4096 } = options;
  const isCount = Number.isSafeInteger(maxTokens) && maxTokens > 0;
  const vendor = openVendor(options, {
    vendor: "anthropic",
    defaultBaseURL: "https://api.anthropic.com/v1",
    path: "/messages",
    needsKey: true,
    problems: isCount ? [] : [`maxTokens is ${String(maxTokens)}: give a positive whole number`],
  });
  const headers = { "x-api-key": options.apiKey, "anthropic-version": API_VERSION };

  return {
    name: vendor.name,
    async turn(request) {
      const body = encodeAnthropic(request, { model, maxTokens });
      return decodeAnthropic(await vendor.post(body, headers, request), vendor.decoding);
    },
  };
}
