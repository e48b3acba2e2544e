// What is known of Ollama's own chat API without its wire.

import type { VendorOptions } from "../../providers/vendor-options.js";
import type { Traits } from "../traits.js";

export type OllamaOptions = VendorOptions;

const PATH = "/api/chat";

export const ollamaTraits = {
  name: "ollama",
  baseURL: "http://localhost:11434",
  path: PATH,
  client: { baseURLs: ["http://127.0.0.1:11434", "http://localhost:11434"], variable: "OLLAMA_HOST", path: "" },
  isTurn: ({ method, path }) => method === "POST" && path.endsWith(PATH),
} satisfies Traits;
