// OpenAI's Responses API, and the hosts that speak it: Azure, xAI, OpenRouter, DeepSeek and others.

import type { CallTerms } from "../../providers/vendor-options.js";
import { failOpenAi, openAiFaults } from "../openai/refusals.js";
import { defineVendor } from "../vendor.js";
import { toSse } from "../../wire/pieces.js";
import { encodeResponses } from "./encode.js";
import { responsesStream } from "./fold.js";
import { parseResponses } from "./parse.js";
import { findResponsesState, responsesState } from "./state.js";
import { responsesTraits, type ResponsesOptions } from "./traits.js";
import { responsesEvents, writeResponses } from "./write.js";

export const responses = defineVendor({
  ...responsesTraits,
  call(request, { options, key, streaming }: CallTerms<ResponsesOptions>) {
    const { model } = options;
    const asked = request.settings?.model ?? model;
    const { includeReasoning = /^(o\d|gpt-5|codex)/.test(asked) } = options;
    const body = encodeResponses(request, { model, includeReasoning });
    return {
      path: responsesTraits.path,
      headers: { authorization: `Bearer ${key}` },
      body: streaming ? { ...body, stream: true } : body,
    };
  },
  format: responsesStream,
  recognises: ({ input, model }) => input !== undefined && model !== undefined,
  messagesField: "input",
  parse: parseResponses,
  findHeldState: findResponsesState,
  state: responsesState,
  write: writeResponses,
  events: responsesEvents,
  fail: failOpenAi,
  faults: openAiFaults,
  streamError: toSse(
    {
      type: "error",
      code: "server_error",
      message: "The server had an error while processing your request. Sorry about that!",
      param: null,
      sequence_number: 3,
    },
    "error",
  ),
});
