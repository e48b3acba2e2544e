// Ollama's own chat API, which needs no key. (Its OpenAI-compatible face is reached with openaiProvider.)

import type { LlmProviderAdapter, LlmTurnRequest } from "../../model/provider.js";
import { createAdapter } from "../../providers/adapter.js";
import { encodeOllama } from "./encode.js";
import { ollamaStream } from "./fold.js";
import type { VendorOptions } from "../../providers/vendor-options.js";
import { openVendor } from "../../providers/vendor.js";

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

  const dialect = {
    wire: ollamaStream,
    headers: {},
    encode: (request: LlmTurnRequest) => encodeOllama(request, { model }),
    streamFields: { stream: true },
  };
  return createAdapter(vendor, dialect, options.streaming);
}
