// A Responses body as a turn request, the inverse of `encodeResponses`. Consecutive items that the model wrote (thoughts, texts,
// calls) are one assistant message. `instructions` come first as a system message, `developer` becomes `system`. This wire does not carry
// `isError`, or the name of a tool result, which its call gives. Fields without a setting are kept as they are.

import { isPlainObject, type JsonObject } from "../../canon/value.js";
import type { AssistantMessage, ContentPart, LlmMessage } from "../../model/message.js";
import type { LlmSettings, LlmToolDefinition } from "../../model/provider.js";
import { toToolCalls } from "../../providers/calls.js";
import { toList, toObject, toText, type WireObject } from "../../http/json-readers.js";
import { createCallNames, type CallNames } from "../../wire/call-names.js";
import { bodyFields, isGiven, nested, toolFields, unknownFields, withMessageFields } from "../../wire/fields.js";
import { refuseHeldState } from "../../wire/held-state.js";
import {
  readModel,
  readNumber,
  readObject,
  readObjects,
  readStops,
  readString,
  refuse,
  toTurn,
  type WireTurn,
} from "../../wire/turn.js";
import { readItems, TEXTS } from "./items.js";
import { findResponsesState } from "./state.js";

/** Fields of a body that are read one by one. */
const READ = [
  ...["model", "input", "instructions", "tools", "tool_choice", "temperature", "top_p", "max_output_tokens", "text"],
  "include",
];

/**
 * Parses a body of OpenAI's Responses API. Throws `AgentError` `invalid-options` for anything that a turn request cannot hold, and for a
 * conversation of which the vendor's server has a part.
 */
export function parseResponses(json: unknown, path = ""): WireTurn {
  refuseHeldState(json, findResponsesState);
  const body = toObject(json);
  // A stream of a background answer has all of it.
  if (body["background"] === true && body["stream"] !== true) refuse("background", "asks for an answer later");
  const format = readObject(readObject(body["text"], "text")["format"], "text.format");
  const tools = readObjects(body["tools"], "tools");
  return toTurn({
    wire: "responses",
    fields: readFields(body, format, tools),
    messages: [...readInstructions(body), ...readInput(body["input"])],
    tools: tools.filter(isFunction).map(readTool),
    settings: {
      temperature: readNumber(body, "temperature"),
      topP: readNumber(body, "top_p"),
      maxTokens: readNumber(body, "max_output_tokens"),
      toolChoice: readChoice(body["tool_choice"]),
      responseFormat: readFormat(format),
    },
    model: readModel(body, path),
    isStream: body["stream"] === true,
    wantsUsage: true,
  });
}

function readFields(body: WireObject, format: WireObject, tools: readonly WireObject[]): JsonObject {
  const isSchema = format["type"] === "json_schema";
  const isNamed = isSchema || format["type"] === "text" || format["type"] === JSON_OBJECT;
  const hosted = tools.filter((tool) => !isFunction(tool)) as readonly JsonObject[];
  // Extra data in an answer. Encrypted reasoning is kept where it comes and changes nothing that the model says.
  const include = (readStops(body["include"], "include") ?? []).filter(
    (what) => what !== "reasoning.encrypted_content",
  );
  return {
    ...bodyFields(body, READ),
    ...(include.length === 0 ? {} : { include }),
    ...(isOtherChoice(body["tool_choice"]) ? { tool_choice: body["tool_choice"] as JsonObject } : {}),
    ...nested("text", {
      ...unknownFields(toObject(body["text"]), ["format"]),
      ...nested("format", unknownFields(format, isNamed ? ["type", ...(isSchema ? ["name", "schema"] : [])] : [])),
    }),
    ...toolFields(tools.filter(isFunction), (tool) => ({
      name: tool["name"],
      fields: unknownFields(tool, ["type", "name", "description", "parameters"]),
    })),
    ...(hosted.length === 0 ? {} : { hosted_tools: [...hosted] }),
  };
}

function readInstructions(body: WireObject): LlmMessage[] {
  const content = readString(body, "instructions", "the body");
  return content === "" ? [] : [{ role: "system", content }];
}

/** What Codex puts on each item, also on one that it only repeats: when it was made and in which turn. It changes no answer. */
const LABELS = "internal_chat_message_metadata_passthrough";

function readInput(input: unknown): LlmMessage[] {
  if (typeof input === "string") return [{ role: "user", content: toText(input) }];
  if (!Array.isArray(input)) return refuse("input", "must be a text or a list of items");
  const calls = createCallNames();
  const messages: LlmMessage[] = [];
  let written: WireObject[] = [];
  const flush = (): void => {
    if (written.length > 0) messages.push(readWritten(written, calls));
    written = [];
  };
  for (const [index, { [LABELS]: _labels, ...item }] of readObjects(input, "input").entries()) {
    if (isWritten(item, `input[${index}]`)) {
      written.push(item);
      continue;
    }
    flush();
    messages.push(readGiven(item, `input[${index}]`, calls));
  }
  flush();
  return messages;
}

/**
 * True for an item that the model wrote. Results of the vendor's own tools are given to it, and so are a client's changes of tools and
 * settings. Throws for one that cannot be read.
 */
function isWritten(item: WireObject, place: string): boolean {
  const role = readString(item, "role", place);
  const type = readString(item, "type", place) || "message";
  if (type === "message" ? role !== "assistant" : /_(output|response|update)$/.test(type)) return false;
  if (role !== "" && role !== "assistant") return false;
  for (const field of STRINGS.get(type) ?? []) readString(item, field, place);
  for (const field of LISTS.get(type) ?? []) {
    if (typeof item[field] === "string" && type === "message") continue;
    for (const part of readObjects(item[field], `${place}.${field}`)) {
      readString(part, TEXTS.get(readString(part, "type", place)) ?? "text", place);
    }
  }
  return true;
}

/** Fields of what the model wrote that are read, by the type of item. */
const STRINGS: ReadonlyMap<string, readonly string[]> = new Map([
  ["reasoning", ["encrypted_content"]],
  ["function_call", ["call_id", "name"]],
  ["custom_tool_call", ["call_id", "name"]],
]);
const LISTS: ReadonlyMap<string, readonly string[]> = new Map([
  ["reasoning", ["summary", "content"]],
  ["message", ["content"]],
]);

/** Read as it was when it came, so that a prompt and the answer before it agree. */
function readWritten(items: readonly WireObject[], calls: CallNames): AssistantMessage {
  const { content, calls: asked, reasoning, layout } = readItems(items);
  const toolCalls = toToolCalls(asked);
  const message: AssistantMessage = {
    role: "assistant",
    content,
    ...(toolCalls.length === 0 ? {} : { toolCalls }),
    ...(reasoning.length === 0 ? {} : { reasoning }),
  };
  calls.add(message);
  return withMessageFields(message, "responses", layout === undefined ? {} : { layout });
}

function readGiven(item: WireObject, place: string, calls: CallNames): LlmMessage {
  const type = readString(item, "type", place) || "message";
  const role = toText(item["role"]);
  if (type === "message") return readMessage(item, role, place);
  if (type !== "function_call_output" && type !== "custom_tool_call_output") {
    const { id: _ofClient, ...fields } = item as JsonObject;
    return withMessageFields({ role: "user", content: "" }, "responses", { item: fields });
  }
  const toolCallId = readString(item, "call_id", place);
  const { output } = item;
  const content = typeof output === "string" ? toText(output) : readParts(output, `${place}.output`);
  const text =
    typeof content === "string" ? content : content.map((part) => ("text" in part ? part.text : "")).join("");
  return withMessageFields({ role: "tool", toolCallId, name: calls.nameOf(toolCallId), content: text }, "responses", {
    ...unknownFields(item, ["type", "id", "status", "call_id", "output"]),
    ...(type === "function_call_output" ? {} : { type }),
    ...partsFields(output, (part) => part["type"] === "input_text"),
  });
}

function readMessage(message: WireObject, role: string, place: string): LlmMessage {
  const { content } = message;
  const fields = {
    ...unknownFields(message, ["type", "id", "status", "role", "content"]),
    ...partsFields(content, (part) => isText(part) || isImage(part)),
  };
  const parts = typeof content === "string" ? toText(content) : readParts(content, place);
  if (role === "user") return withMessageFields({ role, content: parts }, "responses", fields);
  if (role !== "system" && role !== "developer") return refuse(place, `has the role "${role}"`);
  const text = typeof parts === "string" ? parts : parts.map((part) => ("text" in part ? part.text : "")).join("");
  return withMessageFields({ role: "system", content: text }, "responses", fields);
}

function isText({ type }: WireObject): boolean {
  return type === "input_text" || type === "output_text" || type === "text";
}

function isImage({ type, image_url: url }: WireObject): boolean {
  return type === "input_image" && typeof url === "string";
}

/** Texts and images. Any other part, such as a file, has no place in a message and is kept in its fields. */
function readParts(content: unknown, place: string): ContentPart[] {
  return readObjects(content, `${place}.content`).flatMap((part): ContentPart[] => {
    if (isText(part)) return [{ type: "text", text: readString(part, "text", place) }];
    return isImage(part) ? [readImage(toText(part["image_url"]))] : [];
  });
}

function readImage(url: string): ContentPart {
  const inline = /^data:([^;,]*);base64,([^]*)$/.exec(url);
  return inline === null
    ? { type: "image", url }
    : { type: "image", mediaType: inline[1] ?? "", data: inline[2] ?? "" };
}

/** Unknown fields of known parts, and other parts whole, by their places. */
function partsFields(content: unknown, isKnown: (part: WireObject) => boolean): JsonObject {
  const found = toList(content).flatMap((item, place) => {
    const part = toObject(item);
    const known = !isKnown(part)
      ? []
      : isText(part)
        ? ["type", "text", "annotations", "logprobs"]
        : ["type", "image_url"];
    return Object.entries(nested(String(place), unknownFields(part, known)));
  });
  return nested("content", Object.fromEntries(found));
}

function isFunction({ type }: WireObject): boolean {
  return type === "function";
}

function readTool(tool: WireObject): LlmToolDefinition {
  return {
    name: readString(tool, "name", "tools"),
    description: readString(tool, "description", "tools"),
    schema: readObject(tool["parameters"], "tools.parameters") as JsonObject,
  };
}

/** A choice without a setting, such as a tool of the vendor. */
function isOtherChoice(choice: unknown): boolean {
  return isPlainObject(choice) && choice["type"] !== "function";
}

function readChoice(choice: unknown): LlmSettings["toolChoice"] {
  if (!isGiven(choice) || isOtherChoice(choice)) return undefined;
  if (choice === "auto" || choice === "none" || choice === "required") return choice;
  const name = readString(toObject(choice), "name", "tool_choice");
  return name === "" ? refuse("tool_choice", "names no tool") : { name };
}

const JSON_OBJECT = "json_object";

function readFormat(format: WireObject): LlmSettings["responseFormat"] {
  if (format["type"] === JSON_OBJECT) return { name: JSON_OBJECT, schema: { type: "object" } };
  if (format["type"] !== "json_schema") return undefined;
  return {
    name: readString(format, "name", "text.format"),
    schema: readObject(format["schema"], "text.format.schema") as JsonObject,
  };
}
