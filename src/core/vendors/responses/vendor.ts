// OpenAI's Responses API, and the hosts that speak it: Azure, xAI, OpenRouter, DeepSeek and others.

import { flagProblem, type CallTerms, type KeyedVendorOptions } from "../../providers/vendor-options.js";
import { failOpenAi, openAiFaults } from "../openai/refusals.js";
import { OPENAI_PRICING } from "../openai/prices.js";
import { openai } from "../openai/vendor.js";
import { defineVendor } from "../vendor.js";
import { toSse } from "../../wire/pieces.js";
import { encodeResponses } from "./encode.js";
import { responsesStream } from "./fold.js";
import { parseResponses } from "./parse.js";
import { findResponsesState, responsesState } from "./state.js";
import { responsesEvents, writeResponses } from "./write.js";

/** Options of any host that speaks the Responses API. */
export interface ResponsesOptions extends KeyedVendorOptions {
  /**
   * Requests reasoning in an encrypted form, which the next request gives back (`include: ["reasoning.encrypted_content"]`). A model
   * that does not reason refuses it. Default true for models named `o1`, `o3`, `o4-…`, `gpt-5…` and `codex…`, false for others.
   */
  includeReasoning?: boolean;
}

const PATH = "/responses";

export const responses = defineVendor({
  name: "responses",
  baseURL: "https://api.openai.com/v1",
  path: PATH,
  keyVariable: "OPENAI_API_KEY",
  client: openai.client,
  pricing: OPENAI_PRICING,
  ownOptions: { includeReasoning: (flag) => flagProblem("includeReasoning", flag) },
  call(request, { options, key, streaming }: CallTerms<ResponsesOptions>) {
    const { model } = options;
    const asked = request.settings?.model ?? model;
    const { includeReasoning = /^(o\d|gpt-5|codex)/.test(asked) } = options;
    const body = encodeResponses(request, { model, includeReasoning });
    return {
      path: PATH,
      headers: { authorization: `Bearer ${key}` },
      body: streaming ? { ...body, stream: true } : body,
    };
  },
  format: responsesStream,
  isTurn: ({ method, path }) => method === "POST" && path.endsWith(PATH),
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
