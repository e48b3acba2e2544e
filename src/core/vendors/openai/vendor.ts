// OpenAI's chat completions API, and the hosts that speak it: Azure, Mistral, Together, OpenRouter, vLLM and others. Not the Responses API.

import type { CallTerms } from "../../providers/vendor-options.js";
import type { LlmTurnResponse } from "../../model/provider.js";
import { findHeldState } from "../../wire/held-state.js";
import type { WireStamp } from "../../wire/pieces.js";
import { defineVendor } from "../vendor.js";
import { encodeOpenAi, type MaxTokensField } from "./encode.js";
import { isMistralHost, isMistralModel, toMistralBody } from "./mistral.js";
import { mistralEvents, writeMistral } from "./mistral-write.js";
import { failOpenAi, openAiFaults, openAiStreamError } from "./refusals.js";
import { openAiStream } from "./fold.js";
import { parseOpenAi } from "./parse.js";
import { openAiTraits, type OpenAiOptions } from "./traits.js";
import { openAiEvents, writeOpenAi } from "./write.js";

export const openai = defineVendor({
  ...openAiTraits,
  call(request, { options, key, host, streaming }: CallTerms<OpenAiOptions>) {
    const { model, maxTokensField = fieldFor(host), includeUsage = !sendsUsageAnyway(host) } = options;
    const usage = includeUsage ? { stream_options: { include_usage: true } } : {};
    const encoded = encodeOpenAi(request, { model, maxTokensField });
    const body = isMistralHost(host) ? toMistralBody(encoded, request.messages) : encoded;
    return {
      path: openAiTraits.path,
      headers: { authorization: `Bearer ${key}` },
      body: streaming ? { ...body, stream: true, ...usage } : body,
    };
  },
  format: openAiStream,
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
