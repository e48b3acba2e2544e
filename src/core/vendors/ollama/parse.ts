// An Ollama chat body as a turn request, the inverse of `encodeOllama`. Not carried by this wire: the media type of an image
// (told from its first bytes) and its place among the texts, thoughts but for one text, `isError`, the tool choice, and the
// name of a `responseFormat`. Fields that no setting stands for are kept as they are (fields.ts).

import type { JsonObject } from "../../canon/value.js";
import { isPlainObject } from "../../canon/value.js";
import type { ContentPart, LlmMessage } from "../../model/message.js";
import { decodeOllama } from "./decode.js";
import { toList, toObject, toText, type WireObject } from "../../http/json-readers.js";
import { UNNAMED_FORMAT } from "../anthropic/parse.js";
import { createCallNames, type CallNames } from "../../wire/call-names.js";
import { answerFields, bodyFields, isGiven, nested, unknownFields, withMessageFields } from "../../wire/fields.js";
import { refuseHeldState } from "../../wire/held-state.js";
import { callFields, functionToolFields, readTool } from "../openai/parse.js";
import {
  readMessageList,
  readModel,
  readNumber,
  readObject,
  readObjects,
  readStops,
  readString,
  readText,
  refuse,
  toTurn,
  type WireTurn,
} from "../../wire/turn.js";

/**
 * The turn that a body of Ollama's chat API asks for. Throws `AgentError` `invalid-options` for what a turn request
 * cannot hold.
 */
export function parseOllama(json: unknown, path = ""): WireTurn {
  refuseHeldState(json);
  const body = toObject(json);
  const options = readObject(body["options"], "options");
  const tools = readObjects(body["tools"], "tools");
  const { format } = body;
  const calls = createCallNames();
  return toTurn({
    wire: "ollama",
    fields: {
      ...bodyFields(body, ["model", "messages", "tools", "options", ...(isReadFormat(format) ? ["format"] : [])]),
      ...nested("options", unknownFields(options, OPTIONS)),
      ...functionToolFields(tools),
    },
    messages: readMessageList(body).map((message, index) =>
      withMessageFields(readMessage(message, `messages[${index}]`, calls), "ollama", messageFields(message)),
    ),
    tools: tools.map(readTool),
    settings: {
      temperature: readNumber(options, "temperature"),
      topP: readNumber(options, "top_p"),
      maxTokens: readNumber(options, "num_predict"),
      stop: readStops(options["stop"]),
      seed: readNumber(options, "seed"),
      responseFormat: isPlainObject(format) ? { name: UNNAMED_FORMAT, schema: format as JsonObject } : undefined,
    },
    model: readModel(body, path),
    // This wire streams unless told otherwise.
    isStream: body["stream"] !== false,
  });
}

const OPTIONS = ["temperature", "top_p", "num_predict", "stop", "seed"];

/** A schema, or the empty text with which some clients ask for no format. */
function isReadFormat(format: unknown): boolean {
  return isPlainObject(format) || format === "";
}

function readMessage(message: WireObject, place: string, calls: CallNames): LlmMessage {
  const role = toText(message["role"]);
  const content = readText(message["content"], place);
  switch (role) {
    case "system":
      return { role, content };
    case "user": {
      const images = readImages(message["images"], place);
      if (images.length === 0) return { role, content };
      return { role, content: [...(content === "" ? [] : [{ type: "text" as const, text: content }]), ...images] };
    }
    case "assistant": {
      readString(message, "thinking", place);
      for (const call of readObjects(message["tool_calls"], `${place}.tool_calls`)) {
        readString(call, "id", place);
        readString(readObject(call["function"], `${place}.function`), "name", place);
      }
      const said = decodeOllama({ message, done: true }).message;
      calls.add(said);
      return said;
    }
    case "tool": {
      const id = readString(message, "tool_call_id", place);
      const named = readString(message, "tool_name", place) || readString(message, "name", place);
      const name = named || calls.nameOf(id);
      const toolCallId = id || calls.idOf(name);
      calls.settle(toolCallId);
      return { role, toolCallId, name, content };
    }
  }
  return refuse(place, `has the role "${role}"`);
}

function messageFields(message: WireObject): JsonObject {
  if (message["role"] === "assistant") {
    return {
      ...answerFields(message, ["role", "content", "thinking", "tool_calls"]),
      ...callFields(message["tool_calls"]),
    };
  }
  const second = message["tool_name"] === undefined ? ["name"] : [];
  const known = { tool: ["tool_call_id", "tool_name", ...second], user: ["images"] }[String(message["role"])] ?? [];
  return unknownFields(message, ["role", "content", ...known]);
}

function readImages(value: unknown, place: string): ContentPart[] {
  if (!isGiven(value)) return [];
  const isList = Array.isArray(value) && value.every((item) => typeof item === "string");
  return isList ? toList(value).map(readImage) : refuse(`${place}.images`, "must be a list of texts in base64");
}

/** The first characters of base64 for the first bytes of each format. */
const MAGIC: readonly (readonly [string, string])[] = [
  ["iVBORw0KGgo", "image/png"],
  ["/9j/", "image/jpeg"],
  ["R0lGOD", "image/gif"],
  ["UklGR", "image/webp"],
];

function readImage(item: unknown): ContentPart {
  const data = toText(item);
  const known = MAGIC.find(([start]) => data.startsWith(start));
  return { type: "image", mediaType: known?.[1] ?? "application/octet-stream", data };
}
