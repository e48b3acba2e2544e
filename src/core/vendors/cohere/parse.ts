// A body of Cohere's chat API (v2) as a turn request, the inverse of `encodeCohere`. This wire does not carry `isError`, the name of a
// tool result or of a `responseFormat`, and thoughts with a signature. A document in a tool result becomes its JSON. Fields without a
// setting are kept as they are (fields.ts).

import { canonicalize } from "../../canon/json.js";
import { isPlainObject, type JsonObject } from "../../canon/value.js";
import { toObject, toText, type WireObject } from "../../http/json-readers.js";
import type { AssistantMessage, LlmMessage } from "../../model/message.js";
import type { LlmSettings } from "../../model/provider.js";
import { createCallNames, type CallNames } from "../../wire/call-names.js";
import {
  answerFields,
  bodyFields,
  isGiven,
  nested,
  partFields,
  textFields,
  unknownFields,
  withMessageFields,
} from "../../wire/fields.js";
import { refuseHeldState } from "../../wire/held-state.js";
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
import { UNNAMED_FORMAT } from "../anthropic/parse.js";
import { callFields, functionToolFields, readPart, readTool, userPartFields } from "../openai/parse.js";
import { decodeCohere } from "./decode.js";

const READ = [
  ...["model", "messages", "tools", "temperature", "p", "max_tokens", "stop_sequences", "seed", "tool_choice"],
  "response_format",
];

/** Parses a body of Cohere's chat API. Throws `invalid-options` for anything that a turn request cannot hold. */
export function parseCohere(json: unknown, path = ""): WireTurn {
  refuseHeldState(json);
  const body = toObject(json);
  const format = readObject(body["response_format"], "response_format");
  const tools = readObjects(body["tools"], "tools");
  const calls = createCallNames();
  return toTurn({
    wire: "cohere",
    fields: {
      ...bodyFields(body, READ),
      ...nested("response_format", formatFields(format)),
      ...functionToolFields(tools),
    },
    messages: readMessageList(body).map((message, index) =>
      withMessageFields(readMessage(message, `messages[${index}]`, calls), "cohere", messageFields(message)),
    ),
    tools: tools.map(readTool),
    settings: {
      temperature: readNumber(body, "temperature"),
      topP: readNumber(body, "p"),
      maxTokens: readNumber(body, "max_tokens"),
      stop: readStops(body["stop_sequences"]),
      seed: readNumber(body, "seed"),
      toolChoice: readChoice(body["tool_choice"]),
      responseFormat: readFormat(format),
    },
    model: readModel(body, path),
    isStream: body["stream"] === true,
  });
}

function readMessage(message: WireObject, place: string, calls: CallNames): LlmMessage {
  const role = toText(message["role"]);
  const { content } = message;
  switch (role) {
    case "system":
      return { role, content: readText(content, place) };
    case "user":
      return {
        role,
        content: Array.isArray(content)
          ? readObjects(content, `${place}.content`).map((part) => readPart(part, place))
          : readText(content, place),
      };
    case "assistant":
      return readAssistant(message, place, calls);
    case "tool": {
      const toolCallId = readString(message, "tool_call_id", place);
      return { role, toolCallId, name: calls.nameOf(toolCallId), content: readResult(content, place) };
    }
  }
  return refuse(place, `has the role "${role}"`);
}

/** An earlier answer is read by the decoder of answers, so that a prompt and the answer before it agree. */
function readAssistant(message: WireObject, place: string, calls: CallNames): AssistantMessage {
  const { content } = message;
  if (typeof content !== "string") {
    for (const part of readObjects(content, `${place}.content`)) {
      for (const type of READ_PARTS) if (part["type"] === type) readString(part, type, place);
    }
  }
  readString(message, "tool_plan", place);
  for (const call of readObjects(message["tool_calls"], `${place}.tool_calls`)) {
    readString(call, "id", place);
    const type = readString(call, "type", place);
    readString(readObject(call["function"], `${place}.function`), "name", place);
    if (type !== "" && type !== "function") refuse(place, `has a call of type "${type}"`);
  }
  const said = decodeCohere({ message }).message;
  calls.add(said);
  return said;
}

/** Texts, and documents as JSON with sorted keys. */
function readResult(content: unknown, place: string): string {
  if (!Array.isArray(content)) return readText(content, place);
  return readObjects(content, `${place}.content`)
    .map((part) => {
      if (part["type"] !== "document") return readText([part], place);
      const { data } = readObject(part["document"], `${place}.document`);
      return isPlainObject(data) ? canonicalize(data) : readString({ data }, "data", place);
    })
    .join("");
}

const READ_PARTS = ["text", "thinking"];

function messageFields(message: WireObject): JsonObject {
  const { role, content } = message;
  switch (role) {
    case "assistant":
      return {
        ...answerFields(message, ["role", "content", "tool_plan", "tool_calls"]),
        ...partFields(content, (part) => {
          const type = toText(part["type"]);
          return READ_PARTS.includes(type) ? answerFields(part, ["type", type]) : unknownFields(part, []);
        }),
        ...callFields(message["tool_calls"]),
      };
    case "tool":
      return {
        ...unknownFields(message, ["role", "content", "tool_call_id"]),
        ...partFields(content, (part) => (part["type"] === "document" ? documentFields(part) : textFields(part))),
      };
    default:
      return { ...unknownFields(message, ["role", "content"]), ...partFields(content, userPartFields) };
  }
}

/** The whole document, unless its data are an object, which is then the text of the result. */
function documentFields(part: WireObject): JsonObject {
  const document = toObject(part["document"]);
  return {
    ...unknownFields(part, ["document"]),
    ...nested("document", unknownFields(document, isPlainObject(document["data"]) ? ["data"] : [])),
  };
}

function readChoice(choice: unknown): LlmSettings["toolChoice"] {
  if (!isGiven(choice)) return undefined;
  if (choice === "REQUIRED") return "required";
  return choice === "NONE" ? "none" : refuse("tool_choice", "must be REQUIRED or NONE");
}

/** The schema, under its newer or its older name. */
function schemaOf(format: WireObject): { name: string; schema: unknown } {
  const name = isGiven(format["json_schema"]) ? "json_schema" : "schema";
  return { name, schema: format[name] };
}

/** The fields of JSON besides its schema, or all of any other format. No format means text. */
function formatFields(format: WireObject): JsonObject {
  const { type } = format;
  if (type === "text") return unknownFields(format, ["type"]);
  return unknownFields(format, type === "json_object" ? ["type", schemaOf(format).name] : []);
}

function readFormat(format: WireObject): LlmSettings["responseFormat"] {
  if (format["type"] !== "json_object") return undefined;
  const { name, schema } = schemaOf(format);
  const read = readObject(schema, `response_format.${name}`) as JsonObject;
  return { name: UNNAMED_FORMAT, schema: isGiven(schema) ? read : { type: "object" } };
}
