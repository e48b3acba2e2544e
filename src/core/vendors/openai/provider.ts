// OpenAI's chat completions API, and the many that speak it: Azure, Together, Fireworks, OpenRouter, vLLM and others. Not
// the responses API.

import { OPENAI_PRICING } from "../../model/pricing.js";
import type { LlmProviderAdapter, LlmTurnRequest } from "../../model/provider.js";
import { showValue } from "../../text/show.js";
import { createAdapter } from "../../providers/adapter.js";
import { encodeOpenAi, type MaxTokensField } from "./encode.js";
import { openAiStream } from "./fold.js";
import { flagProblem, type KeyedVendorOptions } from "../../providers/vendor-options.js";
import { openVendor } from "../../providers/vendor.js";

/** Options of any host that speaks chat completions. */
export interface OpenAiOptions extends KeyedVendorOptions {
  /**
   * Where `settings.maxTokens` goes. Default `max_completion_tokens` at OpenAI and Azure, whose reasoning models refuse the
   * older name, and `max_tokens` everywhere else.
   */
  maxTokensField?: MaxTokensField;
  /**
   * Asks a stream for its token counts (`stream_options.include_usage`); set false for a host that refuses the field. Default
   * true, but false at Mistral and Perplexity, which send them unasked.
   */
  includeUsage?: boolean;
}

const MAX_TOKENS_FIELDS: readonly unknown[] = ["max_tokens", "max_completion_tokens"] satisfies MaxTokensField[];

/** Builds an adapter for one model. Throws `invalid-options` here rather than at the first turn. */
export function openaiProvider(options: OpenAiOptions): LlmProviderAdapter {
  const vendor = openVendor(options, {
    vendor: "openai",
    defaultBaseURL: "https://api.openai.com/v1",
    path: "/chat/completions",
    needsKey: true,
    pricing: OPENAI_PRICING,
    ownOptions: {
      maxTokensField: (field) =>
        MAX_TOKENS_FIELDS.includes(field)
          ? ""
          : `maxTokensField is ${showValue(field)}: give ${MAX_TOKENS_FIELDS.join(" or ")}`,
      includeUsage: (flag) => flagProblem("includeUsage", flag),
    },
  });
  const headers = { authorization: `Bearer ${options.apiKey}` };
  const encoding = { model: options.model, maxTokensField: options.maxTokensField ?? fieldFor(vendor.url.hostname) };

  const asksUsage = options.includeUsage ?? !reportsUsageUnasked(vendor.url.hostname);
  const dialect = {
    wire: openAiStream,
    headers,
    encode: (request: LlmTurnRequest) => encodeOpenAi(request, encoding),
    streamFields: { stream: true, ...(asksUsage ? { stream_options: { include_usage: true } } : {}) },
  };
  return createAdapter(vendor, dialect, options.streaming);
}

/** Hosts whose streams end with usage without being asked, and that nobody is recorded to have asked. */
function reportsUsageUnasked(hostname: string): boolean {
  return /(^|\.)(mistral\.ai|perplexity\.ai)$/.test(hostname);
}

function fieldFor(hostname: string): MaxTokensField {
  return /(^|\.)(openai\.com|openai\.azure\.com)$/.test(hostname) ? "max_completion_tokens" : "max_tokens";
}
