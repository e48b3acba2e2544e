// A chat completions body as a turn request, the inverse of `encodeOpenAi`. Not carried by this wire: reasoning with its
// signatures, `isError`, and the name of a tool result, which is found by its call. `developer` becomes `system`, and JSON
// without a schema the schema of any object. More than one choice is refused, as a turn has one answer. Fields that no setting
// stands for are kept as they are (fields.ts).

import type { JsonObject } from "../canon/value.js";
import type { AssistantMessage, ContentPart, LlmMessage } from "../model/message.js";
import type { LlmSettings, LlmToolDefinition } from "../model/provider.js";
import { decodeOpenAi } from "../providers/openai-decode.js";
import { toList, toObject, toText, type WireObject } from "../providers/wire.js";
import { createCallNames, type CallNames } from "./call-names.js";
import { bodyFields, nested, partFields, textFields, toolFields, unknownFields, withMessageFields } from "./fields.js";
import { refuseHeldState } from "./held-state.js";
import { readMessageList, readNumber, readStops, readText, refuse, toTurn, type WireTurn } from "./turn.js";

/** Fields of a body that are read one by one. */
const READ = [
  ...["model", "messages", "tools", "functions", "temperature", "top_p", "max_completion_tokens", "max_tokens", "n"],
  ...["stop", "seed", "tool_choice", "function_call", "response_format"],
];

/**
 * The turn that a body of OpenAI's Chat Completions API asks for. Throws `AgentError` `invalid-options` for what a turn
 * request cannot hold.
 */
export function parseOpenAi(json: unknown): WireTurn {
  refuseHeldState(json);
  const body = toObject(json);
  const choices = readNumber(body, "n") ?? 1;
  if (choices > 1) refuse("n", `asks for ${choices} answers, and a turn has one`);
  const calls = createCallNames();
  return toTurn({
    wire: "openai",
    fields: {
      ...bodyFields(body, READ),
      ...nested("response_format", formatFields(toObject(body["response_format"]))),
      ...functionToolFields([
        ...toList(body["tools"]),
        ...toList(body["functions"]).map((named) => ({ function: named })),
      ]),
    },
    messages: readMessageList(body).map((message, index) =>
      withMessageFields(readMessage(message, `messages[${index}]`, calls), "openai", messageFields(message)),
    ),
    tools: [...toList(body["tools"]).map(readTool), ...toList(body["functions"]).map(readFunction)],
    settings: {
      temperature: readNumber(body, "temperature"),
      topP: readNumber(body, "top_p"),
      maxTokens: readNumber(body, "max_completion_tokens") ?? readNumber(body, "max_tokens"),
      stop: readStops(body["stop"]),
      seed: readNumber(body, "seed"),
      toolChoice: readChoice(body["tool_choice"] ?? body["function_call"]),
      responseFormat: readFormat(toObject(body["response_format"])),
    },
    model: toText(body["model"]),
    isStream: body["stream"] === true,
    wantsUsage: toObject(body["stream_options"])["include_usage"] === true,
  });
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
        content: Array.isArray(content) ? content.map((part) => readPart(part, place)) : readText(content, place),
      };
    case "assistant":
      return readAssistant(message, calls);
    case "tool": {
      const toolCallId = toText(message["tool_call_id"]);
      return { role, toolCallId, name: calls.nameOf(toolCallId), content: readText(content, place) };
    }
    case "function": {
      const name = toText(message["name"]);
      return { role: "tool", toolCallId: calls.idOf(name), name, content: readText(content, place) };
    }
  }
  return refuse(place, `has the role "${role}"`);
}

/** None of an answer: the client repeats what the vendor sent, and a replayed answer does not have all of that. */
function messageFields(message: WireObject): JsonObject {
  const { role, content } = message;
  if (role === "assistant") return {};
  const isResult = role === "tool" || role === "function";
  return {
    ...unknownFields(message, ["role", "content", ...(isResult ? ["tool_call_id", "name"] : [])]),
    ...partFields(content, (part) =>
      part["type"] === "image_url"
        ? {
            ...unknownFields(part, ["type", "image_url"]),
            ...nested("image_url", unknownFields(toObject(part["image_url"]), ["url"])),
          }
        : textFields(part),
    ),
  };
}

/** What the vendor once said is read as it was when it came, so that a prompt and the answer before it agree. */
function readAssistant(message: WireObject, calls: CallNames): AssistantMessage {
  const said = decodeOpenAi({ choices: [{ message }] }).message;
  calls.add(said);
  return said;
}

function readPart(item: unknown, place: string): ContentPart {
  const part = toObject(item);
  const type = toText(part["type"]);
  if (type === "text") return { type, text: toText(part["text"]) };
  if (type !== "image_url") return refuse(place, `has a part of type "${type}"`);
  const url = toText(toObject(part["image_url"])["url"]);
  const inline = /^data:([^;,]*);base64,([^]*)$/.exec(url);
  return inline === null
    ? { type: "image", url }
    : { type: "image", mediaType: inline[1] ?? "", data: inline[2] ?? "" };
}

/** A tool as OpenAI coined it and others took it over, some of them without its type. */
export function readTool(item: unknown): LlmToolDefinition {
  const tool = toObject(item);
  const type = toText(tool["type"]);
  if (type !== "function" && type !== "") return refuse("tools", `has one of type "${type}"`);
  return readFunction(tool["function"]);
}

/** Fields of tools in that form that a definition has no place for, such as `strict`. */
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

function readFunction(item: unknown): LlmToolDefinition {
  const named = toObject(item);
  return {
    name: toText(named["name"]),
    description: toText(named["description"]),
    schema: toObject(named["parameters"]) as JsonObject,
  };
}

function readChoice(choice: unknown): LlmSettings["toolChoice"] {
  if (choice === undefined || choice === null) return undefined;
  if (choice === "auto" || choice === "none" || choice === "required") return choice;
  // Mistral's word.
  if (choice === "any") return "required";
  const object = toObject(choice);
  const name = toText(toObject(object["function"])["name"]) || toText(object["name"]);
  return name === "" ? refuse("tool_choice", "names no tool") : { name };
}

/** Of a format that is read, what is beside its name and schema; of any other, all of it. Text is what no format means. */
function formatFields(format: WireObject): JsonObject {
  const { type } = format;
  if (type === "text") return unknownFields(format, ["type"]);
  if (type !== "json_object" && type !== "json_schema") return unknownFields(format, []);
  return {
    ...unknownFields(format, ["type", "json_schema"]),
    ...unknownFields(toObject(format["json_schema"]), ["name", "schema"]),
  };
}

function readFormat(format: WireObject): LlmSettings["responseFormat"] {
  if (format["type"] === "json_object") return { name: "json_object", schema: { type: "object" } };
  if (format["type"] !== "json_schema") return undefined;
  const { name, schema } = toObject(format["json_schema"]);
  return { name: toText(name), schema: toObject(schema) as JsonObject };
}
