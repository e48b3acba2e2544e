// Conversations that OpenAI's server keeps: an answer that a request continues, a conversation object, and items that an input
// names by their ids. Specification: OpenAI API reference, `previous_response_id`, `conversation` and `store`.

import type { JsonObject } from "../../canon/value.js";
import { toList, toObject, toText, type WireObject } from "../../http/json-readers.js";
import type { WireState } from "../../wire/held-conversations.js";
import { findHeldState, held, type HeldState } from "../../wire/held-state.js";
import { PREVIOUS_NOT_FOUND } from "../openai/refusals.js";
import { decodeResponses } from "./decode.js";
import { writeResponses } from "./write.js";

const NO_STAMP = { id: "", createdAt: 0, model: "" };

export const responsesState: WireState = {
  continues: (body) => textOf(body["previous_response_id"]) ?? conversationOf(body),
  isHeld: ({ store }) => store !== false,
  asked({ input, items }) {
    if (typeof input === "string") return [{ role: "user", content: input }];
    // A request that begins a conversation names its input `items`.
    return toList(input ?? items);
  },
  // Read and written, since a replay gives other ids to its items.
  answered(answer) {
    const output = toList(answer["output"]);
    const written = toList(writeResponses(decodeResponses(answer), NO_STAMP)["output"]);
    return output.map((item, place) => ({
      item: written.length === output.length ? written[place] : item,
      id: toText(toObject(item)["id"]),
    }));
  },
  refersTo,
  expand({ previous_response_id: _, conversation: __, ...body }, { items }) {
    return { ...body, input: items };
  },
  ids(body, { id }) {
    const conversation = conversationOf(body);
    return [toText(id), ...(conversation === undefined ? [] : [conversation])];
  },
  follows: ({ method, path }) => method === "POST" && /\/responses\/(?:compact|input_tokens)$/.test(path),
  beginning: {
    matches: ({ method, path }) => method === "POST" && path.endsWith("/conversations"),
    answer({ metadata }, place) {
      const labels = toObject(metadata) as JsonObject;
      return { id: `conv_playhead_${place}`, object: "conversation", created_at: 0, metadata: labels };
    },
  },
};

/** The state that a body continues, with the refusal of OpenAI's server for an id that it does not have. */
export function findResponsesState(json: unknown): HeldState | undefined {
  const state = findHeldState(json);
  if (state !== undefined) return { ...state, ...NOT_FOUND[state.field] };
  const index = toList(toObject(json)["input"]).findIndex((item) => refersTo(toObject(item)) !== undefined);
  if (index < 0) return undefined;
  const hint = "Begin the conversation here, or send its items instead of their ids.";
  return { ...held(`input[${index}].id`, hint), status: 404, code: "item_not_found" };
}

const NOT_FOUND: Readonly<Record<string, Pick<HeldState, "status" | "code" | "hint">>> = {
  previous_response_id: {
    status: 400,
    code: PREVIOUS_NOT_FOUND,
    hint: "Begin the conversation here, or send all of it in each request, without `previous_response_id`.",
  },
  conversation: {
    status: 404,
    code: "conversation_not_found",
    hint: "Create the conversation here, or send all of it in each request, without `conversation`.",
  },
};

function refersTo({ type, id, role }: WireObject): string | undefined {
  return type === "item_reference" || (type === undefined && role === undefined) ? textOf(id) : undefined;
}

function conversationOf({ conversation }: WireObject): string | undefined {
  return textOf(conversation) ?? textOf(toObject(conversation)["id"]);
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}
