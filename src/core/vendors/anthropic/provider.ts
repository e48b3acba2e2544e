// Anthropic's Messages API.

import { ANTHROPIC_PRICING } from "../../model/pricing.js";
import type { LlmProviderAdapter, LlmTurnRequest } from "../../model/provider.js";
import { showValue } from "../../text/show.js";
import { createAdapter } from "../../providers/adapter.js";
import { encodeAnthropic } from "./encode.js";
import { anthropicStream } from "./fold.js";
import type { KeyedVendorOptions } from "../../providers/vendor-options.js";
import { openVendor } from "../../providers/vendor.js";

/** Options of the Messages API. */
export interface AnthropicOptions extends KeyedVendorOptions {
  /** For a request whose settings name no `maxTokens`; this API demands one. Default 4096. */
  maxTokens?: number;
}

const API_VERSION = "2023-06-01";

/** Builds an adapter for one model. Throws `invalid-options` here rather than at the first turn. */
export function anthropicProvider(options: AnthropicOptions): LlmProviderAdapter {
  const vendor = openVendor(options, {
    vendor: "anthropic",
    defaultBaseURL: "https://api.anthropic.com/v1",
    path: "/messages",
    needsKey: true,
    pricing: ANTHROPIC_PRICING,
    ownOptions: {
      maxTokens: (count) =>
        Number.isSafeInteger(count) && Number(count) > 0
          ? ""
          : `maxTokens is ${showValue(count)}: give a positive whole number`,
    },
  });
  const { model, maxTokens = 4096 } = options;
  const headers = { "x-api-key": options.apiKey, "anthropic-version": API_VERSION };

  const dialect = {
    wire: anthropicStream,
    headers,
    encode: (request: LlmTurnRequest) => encodeAnthropic(request, { model, maxTokens }),
    streamFields: { stream: true },
  };
  return createAdapter(vendor, dialect, options.streaming);
}
