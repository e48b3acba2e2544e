// Ollama's own chat API, which needs no key. Its OpenAI-compatible API belongs to the vendor `openai`.

import { isPlainObject } from "../../canon/value.js";
import { toList, toObject } from "../../http/json-readers.js";
import type { CallTerms } from "../../providers/vendor-options.js";
import { findHeldState } from "../../wire/held-state.js";
import { defineVendor } from "../vendor.js";
import { encodeOllama } from "./encode.js";
import { failOllama, ollamaFaults, ollamaStreamError } from "./refusals.js";
import { ollamaStream } from "./fold.js";
import { parseOllama } from "./parse.js";
import { ollamaTraits, type OllamaOptions } from "./traits.js";
import { ollamaEvents, writeOllama } from "./write.js";

export const ollama = defineVendor({
  ...ollamaTraits,
  call(request, { options: { model }, streaming }: CallTerms<OllamaOptions>) {
    const body = encodeOllama(request, { model });
    return { path: ollamaTraits.path, headers: {}, body: streaming ? { ...body, stream: true } : body };
  },
  format: ollamaStream,
  recognises: (body) =>
    typeof body["model"] === "string" &&
    (["options", "format", "keep_alive", "think"].some((key) => body[key] !== undefined) ||
      toList(body["messages"]).some(hasObjectArguments)),
  messagesField: "messages",
  parse: parseOllama,
  findHeldState,
  write: writeOllama,
  events: ollamaEvents,
  fail: failOllama,
  faults: ollamaFaults,
  streamError: ollamaStreamError,
});

function hasObjectArguments(message: unknown): boolean {
  const { tool_name: name, tool_calls: calls } = toObject(message);
  if (name !== undefined) return true;
  return toList(calls).some((call) => isPlainObject(toObject(toObject(call)["function"])["arguments"]));
}
