// What is known of Google's Gemini API without its wire.

import type { Traits } from "../traits.js";
import { GEMINI_PRICING } from "./prices.js";

/** A path, perhaps with its query. Vertex AI serves tuned models as endpoints. */
export const GEMINI_TURN =
  /\/(?:models|tunedModels|endpoints)\/([^/:]+):(generateContent|streamGenerateContent)(?=\?|$)/;

export const geminiTraits = {
  name: "gemini",
  baseURL: "https://generativelanguage.googleapis.com/v1beta",
  path: ":generateContent",
  keyVariable: "GEMINI_API_KEY",
  client: { baseURLs: ["https://generativelanguage.googleapis.com"], variable: "GOOGLE_GEMINI_BASE_URL", path: "" },
  pricing: GEMINI_PRICING,
  isTurn: ({ method, path }) => method === "POST" && GEMINI_TURN.test(path),
} satisfies Traits;
