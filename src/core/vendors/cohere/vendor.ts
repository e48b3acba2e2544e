// Cohere's chat API in version 2. Version 1 has other bodies, and Cohere's OpenAI-compatible API belongs to the vendor `openai`.

import { toList, toObject } from "../../http/json-readers.js";
import type { CallTerms, KeyedVendorOptions } from "../../providers/vendor-options.js";
import { findHeldState } from "../../wire/held-state.js";
import { defineVendor } from "../vendor.js";
import { encodeCohere } from "./encode.js";
import { cohereStream } from "./fold.js";
import { parseCohere } from "./parse.js";
import { COHERE_PRICING } from "./prices.js";
import { cohereFaults, cohereStreamError, failCohere } from "./refusals.js";
import { cohereEvents, writeCohere } from "./write.js";

export type CohereOptions = KeyedVendorOptions;

const PATH = "/v2/chat";

export const cohere = defineVendor({
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
  call(request, { options: { model }, key, streaming }: CallTerms<CohereOptions>) {
    const body = encodeCohere(request, { model });
    return {
      path: PATH,
      headers: { authorization: `Bearer ${key}` },
      body: streaming ? { ...body, stream: true } : body,
    };
  },
  format: cohereStream,
  isTurn: ({ method, path }) => method === "POST" && path.endsWith(PATH),
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
