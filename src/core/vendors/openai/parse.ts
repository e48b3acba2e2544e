// A chat completions body as a turn request, the inverse of `encodeOpenAi`. This wire does not carry reasoning, `isError`, or the
// name of a tool result, which its call gives. `developer` becomes `system`, and JSON without a schema becomes the schema of any
// object. More than one choice is refused, as a turn has one answer. Fields without a setting are kept as they are (fields.ts).

import { defined } from "../../defined.js";
import type { JsonObject } from "../../canon/value.js";
import type { AssistantMessage, ContentPart, LlmMessage } from "../../model/message.js";
import type { LlmSettings, LlmToolDefinition } from "../../model/provider.js";
import { toArguments } from "../../providers/calls.js";
import { decodeOpenAi } from "./decode.js";
import { toObject, toText, type WireObject } from "../../http/json-readers.js";
import { createCallNames, type CallNames } from "../../wire/call-names.js";
import {
  answerFields,
  bodyFields,
  isGiven,
  nested,
  partFields,
  textFields,
  toolFields,
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

const READ = [
  ...["model", "messages", "tools", "functions", "temperature", "top_p", "max_completion_tokens", "max_tokens", "n"],
  ...["stop", "seed", "tool_choice", "function_call", "response_format"],
];

/** Parses a body of OpenAI's Chat Completions API. Throws `invalid-options` for anything that a turn request cannot hold. */
export function parseOpenAi(json: unknown, path = ""): WireTurn {
  refuseHeldState(json);
  const body = toObject(json);
  const format = readObject(body["response_format"], "response_format");
  const tools = readObjects(body["tools"], "tools");
  const functions = readObjects(body["functions"], "functions");
  const choices = readNumber(body, "n") ?? 1;
  if (choices > 1) refuse("n", `asks for ${choices} answers, and a turn has one`);
  const calls = createCallNames();
  return toTurn({
    wire: "openai",
    fields: {
      ...bodyFields(body, READ),
      ...secondNames(body),
      ...choiceFields(body["tool_choice"] ?? body["function_call"]),
      ...nested("response_format", formatFields(format)),
      ...functionToolFields([...tools, ...functions.map((named) => ({ function: named }))]),
    },
    messages: readMessageList(body).map((message, index) => {
      const read = readMessage(message, `messages[${index}]`, calls);
      return withMessageFields(read, "openai", messageFields(message, read));
    }),
    tools: [...tools.map(readTool), ...functions.map((named) => readFunction(named, "functions"))],
    settings: {
      temperature: readNumber(body, "temperature"),
      topP: readNumber(body, "top_p"),
      maxTokens: readNumber(body, "max_completion_tokens") ?? readNumber(body, "max_tokens"),
      stop: readStops(body["stop"]),
      seed: readNumber(body, "seed"),
      toolChoice: readChoice(body["tool_choice"] ?? body["function_call"]),
      responseFormat: readFormat(format),
    },
    model: readModel(body, path),
    isStream: body["stream"] === true,
    wantsUsage: toObject(body["stream_options"])["include_usage"] === true,
  });
}

/** The older of two fields for one setting, if a body has both, since hosts differ in which one they read. */
function secondNames(body: WireObject): JsonObject {
  const pairs = [
    ["max_completion_tokens", "max_tokens"],
    ["tool_choice", "function_call"],
  ] as const;
  const second = pairs.flatMap(([first, older]) => (isGiven(body[first]) && isGiven(body[older]) ? [older] : []));
  return Object.fromEntries(second.map((older) => [older, body[older]])) as JsonObject;
}

function readMessage(message: WireObject, place: string, calls: CallNames): LlmMessage {
  const role = toText(message["role"]);
  const { content } = message;
  switch (role) {
    case "system":
    case "developer":
      return { role: "system", content: readText(content, place) };
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
      return { role, toolCallId, name: calls.nameOf(toolCallId), content: readText(content, place) };
    }
    case "function": {
      const name = readString(message, "name", place);
      return { role: "tool", toolCallId: calls.idOf(name), name, content: readText(content, place) };
    }
  }
  return refuse(place, `has the role "${role}"`);
}

function messageFields(message: WireObject, read: LlmMessage): JsonObject {
  const { content } = message;
  if (read.role === "assistant") return assistantFields(message);
  // The call of a result gives its name. Any other name is the client's own.
  const isFound = read.role === "tool" && read.toolCallId !== "" && read.name === message["name"];
  const known = read.role === "tool" ? ["tool_call_id", ...(isFound ? ["name"] : [])] : [];
  return {
    ...unknownFields(message, ["role", "content", ...known]),
    ...partFields(content, userPartFields),
  };
}

/** The unknown fields of a text or an image. */
export function userPartFields(part: WireObject): JsonObject {
  if (part["type"] !== "image_url") return textFields(part);
  return {
    ...unknownFields(part, ["type", "image_url"]),
    ...nested("image_url", unknownFields(toObject(part["image_url"]), ["url"])),
  };
}

/** Fields of an earlier answer that its client may have added, and parts that our messages have no place for. */
function assistantFields(message: WireObject): JsonObject {
  return {
    ...answerFields(message, ["role", "content", "refusal", "tool_calls", "function_call"]),
    ...partFields(message["content"], (part) => {
      const type = toText(part["type"]);
      return READ_PARTS.includes(type) ? answerFields(part, ["type", type]) : unknownFields(part, []);
    }),
    ...callFields(message["tool_calls"]),
    ...nested("function_call", namedFields(toObject(message["function_call"]))),
  };
}

const READ_PARTS = ["text", "refusal", "thinking"];

/** The unknown fields of the calls of an earlier answer, by their places. */
export function callFields(calls: unknown): JsonObject {
  const { content } = partFields(calls, (call) => ({
    ...answerFields(call, ["id", "function", ...(call["type"] === "function" ? ["type"] : [])]),
    ...nested("function", namedFields(toObject(call["function"]))),
  }));
  return defined({ tool_calls: content });
}

/** Arguments that are not an object do not go back over a wire, so they are kept as they came. */
function namedFields(named: WireObject): JsonObject {
  const isRead = toArguments(named["arguments"]).malformedArguments === undefined;
  return answerFields(named, ["name", ...(isRead ? ["arguments"] : [])]);
}

/** An earlier answer is read by the decoder of answers, so that a prompt and the answer before it agree. */
function readAssistant(message: WireObject, place: string, calls: CallNames): AssistantMessage {
  const { content, tool_calls: called, function_call: legacy } = message;
  if (typeof content !== "string") {
    for (const part of readObjects(content, `${place}.content`)) {
      for (const type of ["text", "refusal"]) if (part["type"] === type) readString(part, type, place);
    }
  }
  readString(message, "refusal", place);
  for (const call of readObjects(called, `${place}.tool_calls`)) {
    readString(call, "id", place);
    const type = readString(call, "type", place);
    for (const kind of ["function", "custom"]) readString(readObject(call[kind], `${place}.${kind}`), "name", place);
    if (type !== "" && type !== "function" && type !== "custom") refuse(place, `has a call of type "${type}"`);
  }
  readString(readObject(legacy, `${place}.function_call`), "name", place);
  const said = decodeOpenAi({ choices: [{ message }] }).message;
  calls.add(said);
  return said;
}

/** Reads a text or an image in OpenAI's form. */
export function readPart(part: WireObject, place: string): ContentPart {
  const type = readString(part, "type", place);
  if (type === "text") return { type, text: readString(part, "text", place) };
  if (type !== "image_url") return refuse(place, `has a part of type "${type}"`);
  const { image_url: image } = part;
  // Some hosts take the URL itself.
  const url = typeof image === "string" ? toText(image) : readString(readObject(image, "image_url"), "url", place);
  const inline = /^data:([^;,]*);base64,([^]*)$/.exec(url);
  return inline === null
    ? { type: "image", url }
    : { type: "image", mediaType: inline[1] ?? "", data: inline[2] ?? "" };
}

/** Reads a tool in OpenAI's form, which others use too, some of them without its type. */
export function readTool(tool: WireObject): LlmToolDefinition {
  const type = readString(tool, "type", "tools");
  if (type !== "function" && type !== "") return refuse("tools", `has one of type "${type}"`);
  return readFunction(readObject(tool["function"], "tools.function"), "tools");
}

/** Fields of such tools that a definition has no place for, such as `strict`. */
export function functionToolFields(tools: readonly unknown[]): JsonObject {
  return toolFields(tools, (tool) => {
    const named = toObject(tool["function"]);
    const fields = {
      ...unknownFields(tool, ["type", "function"]),
      ...unknownFields(named, ["name", "description", "parameters"]),
    };
    return { name: named["name"], fields };
  });
}

function readFunction(named: WireObject, place: string): LlmToolDefinition {
  return {
    name: readString(named, "name", place),
    description: readString(named, "description", place),
    schema: readObject(named["parameters"], `${place}.parameters`) as JsonObject,
  };
}

function readChoice(choice: unknown): LlmSettings["toolChoice"] {
  if (choice === undefined || choice === null) return undefined;
  if (choice === "auto" || choice === "none" || choice === "required") return choice;
  // Mistral's word.
  if (choice === "any") return "required";
  const object = toObject(choice);
  readString(object, "type", "tool_choice");
  if (isOtherChoice(object)) return undefined;
  const named = readObject(object["function"], "tool_choice.function");
  const name = readString(named, "name", "tool_choice") || readString(object, "name", "tool_choice");
  return name === "" ? refuse("tool_choice", "names no tool") : { name };
}

/** A choice without a setting, such as `allowed_tools`. */
function isOtherChoice({ type }: WireObject): boolean {
  return typeof type === "string" && type !== "function" && type !== "";
}

/** All of a choice without a setting, or the fields of any other choice besides the name. */
function choiceFields(choice: unknown): JsonObject {
  const object = toObject(choice);
  if (isOtherChoice(object)) return { tool_choice: object as JsonObject };
  const named = toObject(object["function"]);
  const second = isGiven(named["name"]) ? [] : ["name"];
  return nested("tool_choice", {
    ...unknownFields(object, ["type", "function", ...second]),
    ...nested("function", unknownFields(named, ["name"])),
  });
}

/** The fields of a known format besides its name and schema, or all of any other. No format means text. */
function formatFields(format: WireObject): JsonObject {
  const { type } = format;
  if (type === "text" || type === "json_object") return unknownFields(format, ["type"]);
  if (type !== "json_schema") return unknownFields(format, []);
  const named = toObject(format["json_schema"]);
  return {
    // Without its type, a schema of this name would be the same as JSON without a schema.
    ...unknownFields(format, [...(named["name"] === JSON_OBJECT ? [] : ["type"]), "json_schema"]),
    ...unknownFields(named, ["name", "schema"]),
  };
}

const JSON_OBJECT = "json_object";

function readFormat(format: WireObject): LlmSettings["responseFormat"] {
  if (format["type"] === JSON_OBJECT) return { name: JSON_OBJECT, schema: { type: "object" } };
  if (format["type"] !== "json_schema") return undefined;
  const named = readObject(format["json_schema"], "response_format.json_schema");
  const schema = readObject(named["schema"], "response_format.schema") as JsonObject;
  return { name: readString(named, "name", "response_format"), schema };
}
