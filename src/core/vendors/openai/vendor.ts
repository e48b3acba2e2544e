// OpenAI's chat completions API, and the hosts that speak it: Azure, Mistral, Together, OpenRouter, vLLM and others. Not the Responses API.

import { showValue } from "../../text/show.js";
import { flagProblem, type CallTerms, type KeyedVendorOptions } from "../../providers/vendor-options.js";
import type { LlmTurnResponse } from "../../model/provider.js";
import { findHeldState } from "../../wire/held-state.js";
import type { WireStamp } from "../../wire/pieces.js";
import { defineVendor } from "../vendor.js";
import { encodeOpenAi, type MaxTokensField } from "./encode.js";
import { isMistralHost, isMistralModel, toMistralBody } from "./mistral.js";
import { MISTRAL_PRICING } from "./mistral-prices.js";
import { mistralEvents, writeMistral } from "./mistral-write.js";
import { failOpenAi, openAiFaults, openAiStreamError } from "./refusals.js";
import { openAiStream } from "./fold.js";
import { parseOpenAi } from "./parse.js";
import { OPENAI_PRICING } from "./prices.js";
import { openAiEvents, writeOpenAi } from "./write.js";

/** Options of any host that speaks chat completions. */
export interface OpenAiOptions extends KeyedVendorOptions {
  /**
   * The field for `settings.maxTokens`. Default `max_completion_tokens` at OpenAI and Azure, whose reasoning models refuse the
   * older name, and `max_tokens` everywhere else.
   */
  maxTokensField?: MaxTokensField;
  /**
   * Requests the token counts of a stream (`stream_options.include_usage`). Set false for a host that refuses the field. Default
   * true, but false at Mistral and Perplexity, which send them in any case.
   */
  includeUsage?: boolean;
}

const MAX_TOKENS_FIELDS: readonly unknown[] = ["max_tokens", "max_completion_tokens"] satisfies MaxTokensField[];
const PATH = "/chat/completions";

export const openai = defineVendor({
  name: "openai",
  baseURL: "https://api.openai.com/v1",
  path: PATH,
  keyVariable: "OPENAI_API_KEY",
  client: { baseURLs: ["https://api.openai.com/v1"], variable: "OPENAI_BASE_URL", path: "/v1" },
  pricing: { ...OPENAI_PRICING, ...MISTRAL_PRICING },
  ownOptions: {
    maxTokensField: (field) =>
      MAX_TOKENS_FIELDS.includes(field)
        ? ""
        : `maxTokensField is ${showValue(field)}: use ${MAX_TOKENS_FIELDS.join(" or ")}`,
    includeUsage: (flag) => flagProblem("includeUsage", flag),
  },
  call(request, { options, key, host, streaming }: CallTerms<OpenAiOptions>) {
    const { model, maxTokensField = fieldFor(host), includeUsage = !sendsUsageAnyway(host) } = options;
    const usage = includeUsage ? { stream_options: { include_usage: true } } : {};
    const encoded = encodeOpenAi(request, { model, maxTokensField });
    const body = isMistralHost(host) ? toMistralBody(encoded, request.messages) : encoded;
    return {
      path: PATH,
      headers: { authorization: `Bearer ${key}` },
      body: streaming ? { ...body, stream: true, ...usage } : body,
    };
  },
  format: openAiStream,
  isTurn: ({ method, path }) => method === "POST" && path.endsWith(PATH),
  // Its bodies have no marks that the bodies of its imitators lack.
  recognises: () => false,
  messagesField: "messages",
  parse: parseOpenAi,
  findHeldState,
  write: (response, stamp) => (isMistral(response, stamp) ? writeMistral : writeOpenAi)(response, stamp),
  events: (response, stamp, cut) => (isMistral(response, stamp) ? mistralEvents : openAiEvents)(response, stamp, cut),
  fail: failOpenAi,
  faults: openAiFaults,
  streamError: openAiStreamError,
});

/** True if the client wants Mistral's dialect, by the model that it names or the one that answered. */
function isMistral({ model }: LlmTurnResponse, stamp: WireStamp): boolean {
  return isMistralModel(stamp.model) || (model !== undefined && isMistralModel(model));
}

/** True for hosts whose streams always end with the usage, and for which no recording shows a request for it. */
function sendsUsageAnyway(host: string): boolean {
  return isMistralHost(host) || /(^|\.)perplexity\.ai$/.test(host);
}

function fieldFor(host: string): MaxTokensField {
  return /(^|\.)(openai\.com|openai\.azure\.com)$/.test(host) ? "max_completion_tokens" : "max_tokens";
}
