// What is known of OpenAI's Responses API without its wire.

import { flagProblem, type KeyedVendorOptions } from "../../providers/vendor-options.js";
import { OPENAI_PRICING } from "../openai/prices.js";
import { openAiTraits } from "../openai/traits.js";
import type { Traits } from "../traits.js";

/** Options of any host that speaks the Responses API. */
export interface ResponsesOptions extends KeyedVendorOptions {
  /**
   * Requests reasoning in an encrypted form, which the next request gives back (`include: ["reasoning.encrypted_content"]`). A model
   * that does not reason refuses it. Default true for models named `o1`, `o3`, `o4-…`, `gpt-5…` and `codex…`, false for others.
   */
  includeReasoning?: boolean;
}

const PATH = "/responses";

export const responsesTraits = {
  name: "responses",
  baseURL: "https://api.openai.com/v1",
  path: PATH,
  keyVariable: "OPENAI_API_KEY",
  client: openAiTraits.client,
  pricing: OPENAI_PRICING,
  ownOptions: { includeReasoning: (flag) => flagProblem("includeReasoning", flag) },
  isTurn: ({ method, path }) => method === "POST" && path.endsWith(PATH),
} satisfies Traits;
