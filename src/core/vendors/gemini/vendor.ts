// Google's Gemini API (generateContent), at AI Studio and at Vertex AI. The URL names the model, and whether to stream.

import type { CallTerms, KeyedVendorOptions } from "../../providers/vendor-options.js";
import { isPlainObject } from "../../canon/value.js";
import { toList } from "../../http/json-readers.js";
import { defineVendor } from "../vendor.js";
import { encodeGemini } from "./encode.js";
import { failGemini, geminiFaults, geminiStreamError } from "./refusals.js";
import { geminiStream } from "./fold.js";
import { parseGemini } from "./parse.js";
import { findCachedContent } from "./held-state.js";
import { GEMINI_TURN, geminiTraits } from "./traits.js";
import { geminiEvents, writeGemini } from "./write.js";

export const gemini = defineVendor({
  ...geminiTraits,
  call(request, { options, key, streaming }: CallTerms<KeyedVendorOptions>) {
    const model = request.settings?.model ?? options.model;
    const verb = streaming ? "streamGenerateContent?alt=sse" : "generateContent";
    return {
      path: `/models/${encodeURIComponent(model)}:${verb}`,
      headers: { "x-goog-api-key": key },
      body: encodeGemini(request),
    };
  },
  format: geminiStream,
  recognises: ({ contents }) => toList(contents).some((content) => isPlainObject(content) && "parts" in content),
  messagesField: "contents",
  parse(body, path = "") {
    const [, model = "", verb] = GEMINI_TURN.exec(path) ?? [];
    const isStream = verb === "streamGenerateContent";
    const isList = isStream && !/[?&](?:%24|\$)?alt=sse(?:&|$)/.test(path);
    return parseGemini(body, decodeModel(model), { isStream, ...(isList ? { isList } : {}) });
  },
  findHeldState: findCachedContent,
  write: writeGemini,
  events: geminiEvents,
  fail: failGemini,
  faults: geminiFaults,
  streamError: geminiStreamError,
});

function decodeModel(model: string): string {
  try {
    return decodeURIComponent(model);
  } catch {
    return model;
  }
}
