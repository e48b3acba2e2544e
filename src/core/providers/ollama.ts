// Ollama's own chat API, which needs no key. (Its OpenAI-compatible face is reached with openaiProvider.)

import type { LlmProviderAdapter } from "../model/provider.js";
import { decodeOllama } from "./ollama-decode.js";
import { encodeOllama } from "./ollama-encode.js";
import { openVendor, type VendorOptions } from "./vendor.js";

/** Options of a local or remote Ollama. */
export type OllamaOptions = VendorOptions;

/** Builds an adapter for one model. Throws `invalid-options` here rather than at the first turn. */
export function ollamaProvider(options: OllamaOptions): LlmProviderAdapter {
  const vendor = openVendor(options, {
    vendor: "ollama",
    defaultBaseURL: "http://localhost:11434",
    path: "/api/chat",
    needsKey: false,
  });
  const { model } = options;

  return {
    name: vendor.name,
    async turn(request) {
      return decodeOllama(await vendor.post(encodeOllama(request, { model }), {}, request), vendor.decoding);
    },
  };
}
