// What is known of Cohere's chat API without its wire.

import type { KeyedVendorOptions } from "../../providers/vendor-options.js";
import type { Traits } from "../traits.js";
import { COHERE_PRICING } from "./prices.js";

export type CohereOptions = KeyedVendorOptions;

const PATH = "/v2/chat";

export const cohereTraits = {
  name: "cohere",
  baseURL: "https://api.cohere.com",
  path: PATH,
  keyVariable: "CO_API_KEY",
  client: {
    baseURLs: ["https://api.cohere.com", "https://api.cohere.ai"],
    variable: "CO_API_URL",
    path: "",
  },
  pricing: COHERE_PRICING,
  isTurn: ({ method, path }) => method === "POST" && path.endsWith(PATH),
} satisfies Traits;
