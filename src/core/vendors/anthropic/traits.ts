// What is known of Anthropic's Messages API without its wire.

import { showValue } from "../../text/show.js";
import { flagProblem, type KeyedVendorOptions } from "../../providers/vendor-options.js";
import type { Traits } from "../traits.js";
import { ANTHROPIC_PRICING } from "./prices.js";

export interface AnthropicOptions extends KeyedVendorOptions {
  /** Output limit in tokens for requests without `settings.maxTokens`, since this API requires one. Default 4096. */
  maxTokens?: number;
  /** Asks the vendor to cache the prompt up to the last system message before the conversation. Default false. */
  promptCaching?: boolean;
}

const PATH = "/messages";

export const anthropicTraits = {
  name: "anthropic",
  baseURL: "https://api.anthropic.com/v1",
  path: PATH,
  keyVariable: "ANTHROPIC_API_KEY",
  client: { baseURLs: ["https://api.anthropic.com"], variable: "ANTHROPIC_BASE_URL", path: "" },
  pricing: ANTHROPIC_PRICING,
  ownOptions: {
    maxTokens: (count) =>
      Number.isSafeInteger(count) && Number(count) > 0
        ? ""
        : `maxTokens is ${showValue(count)}: give a positive whole number`,
    promptCaching: (flag) => flagProblem("promptCaching", flag),
  },
  // OpenAI's threads also have messages, which are not conversation turns.
  isTurn: ({ method, path }) => method === "POST" && path.endsWith(PATH) && !path.includes("/threads/"),
} satisfies Traits;
