// Cohere's chat API in version 2. Version 1 has other bodies, and Cohere's OpenAI-compatible API belongs to the vendor `openai`.

import { toList, toObject } from "../../http/json-readers.js";
import type { CallTerms } from "../../providers/vendor-options.js";
import { findHeldState } from "../../wire/held-state.js";
import { defineVendor } from "../vendor.js";
import { encodeCohere } from "./encode.js";
import { cohereStream } from "./fold.js";
import { parseCohere } from "./parse.js";
import { cohereFaults, cohereStreamError, failCohere } from "./refusals.js";
import { cohereTraits, type CohereOptions } from "./traits.js";
import { cohereEvents, writeCohere } from "./write.js";

export const cohere = defineVendor({
  ...cohereTraits,
  call(request, { options: { model }, key, streaming }: CallTerms<CohereOptions>) {
    const body = encodeCohere(request, { model });
    return {
      path: cohereTraits.path,
      headers: { authorization: `Bearer ${key}` },
      body: streaming ? { ...body, stream: true } : body,
    };
  },
  format: cohereStream,
  recognises: (body) =>
    typeof body["model"] === "string" &&
    (MARKS.some((field) => body[field] !== undefined) ||
      body["tool_choice"] === "REQUIRED" ||
      body["tool_choice"] === "NONE" ||
      toList(body["messages"]).some((message) => Object.hasOwn(toObject(message), "tool_plan"))),
  messagesField: "messages",
  parse: parseCohere,
  findHeldState,
  write: writeCohere,
  events: cohereEvents,
  fail: failCohere,
  faults: cohereFaults,
  streamError: cohereStreamError,
});

const MARKS = ["documents", "citation_options", "safety_mode", "strict_tools"];
