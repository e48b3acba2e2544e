// What is known of OpenAI's chat completions API without its wire.

import { showValue } from "../../text/show.js";
import { flagProblem, type KeyedVendorOptions } from "../../providers/vendor-options.js";
import type { Traits } from "../traits.js";
import type { MaxTokensField } from "./encode.js";
import { MISTRAL_PRICING, OPENAI_PRICING } from "./prices.js";

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

export const openAiTraits = {
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
  isTurn: ({ method, path }) => method === "POST" && path.endsWith(PATH),
} satisfies Traits;
