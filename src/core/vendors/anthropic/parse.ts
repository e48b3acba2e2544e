// A Messages body as a turn request, the inverse of `encodeAnthropic`. This wire does not carry the places of system messages (they
// come first), thoughts without a signature, `seed`, or the name of a `responseFormat`. Fields without a setting are kept as they
// are (fields.ts).

import { isPlainObject, type JsonObject } from "../../canon/value.js";
import type { AssistantMessage, ContentPart, LlmMessage, SystemMessage, ToolMessage } from "../../model/message.js";
import type { LlmSettings, LlmToolDefinition } from "../../model/provider.js";
import { decodeAnthropic } from "./decode.js";
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
  wireFieldsOf,
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

/** The name of a `responseFormat` where the wire carries only its schema. */
export const UNNAMED_FORMAT = "response";

const READ = [
  ...["model", "messages", "system", "tools", "max_tokens", "temperature", "top_p", "stop_sequences", "tool_choice"],
  "output_config",
];

/** Parses a body of Anthropic's Messages API. Throws `invalid-options` for anything that a turn request cannot hold. */
export function parseAnthropic(json: unknown, path = ""): WireTurn {
  refuseHeldState(json);
  const body = toObject(json);
  const output = readObject(body["output_config"], "output_config");
  const choice = readObject(body["tool_choice"], "tool_choice");
  const calls = createCallNames();
  return toTurn({
    wire: "anthropic",
    fields: readFields(body),
    messages: [
      ...readSystem(body["system"]),
      ...readMessageList(body).flatMap((message, index) => readMessage(message, `messages[${index}]`, calls)),
    ],
    tools: readObjects(body["tools"], "tools").map(readTool),
    settings: {
      maxTokens: readNumber(body, "max_tokens"),
      temperature: readNumber(body, "temperature"),
      topP: readNumber(body, "top_p"),
      stop: readStops(body["stop_sequences"]),
      toolChoice: readChoice(choice),
      responseFormat: readFormat(readObject(output["format"], "output_config.format")),
    },
    model: readModel(body, path),
    isStream: body["stream"] === true,
  });
}

function readFields(body: WireObject): JsonObject {
  const output = toObject(body["output_config"]);
  const format = toObject(output["format"]);
  const isSchema = format["type"] === "json_schema";
  const choice = toObject(body["tool_choice"]);
  return {
    ...bodyFields(body, READ),
    ...nested("tool_choice", unknownFields(choice, ["type", ...(choice["type"] === "tool" ? ["name"] : [])])),
    ...nested("output_config", {
      ...unknownFields(output, isSchema ? ["format"] : []),
      ...(isSchema ? nested("format", unknownFields(format, ["type", "schema"])) : {}),
    }),
    ...toolFields(body["tools"], (tool) => ({
      name: tool["name"],
      fields: unknownFields(tool, ["type", "name", "description", "input_schema"]),
    })),
  };
}

function readSystem(system: unknown): SystemMessage[] {
  const blocks: readonly unknown[] = Array.isArray(system)
    ? system
    : [{ type: "text", text: readText(system, "system") }];
  return blocks.flatMap((block): SystemMessage[] => {
    const content = readText([block], "system");
    if (content === "") return [];
    return [withMessageFields({ role: "system", content }, "anthropic", textFields(toObject(block)))];
  });
}

/** Fields of the whole message go with its first part. */
function readMessage(message: WireObject, place: string, calls: CallNames): LlmMessage[] {
  const [first, ...others] = readParts(message, place, calls);
  if (first === undefined) return [];
  const fields = { ...unknownFields(message, ["role", "content"]), ...wireFieldsOf(first, "anthropic") };
  return [withMessageFields(first, "anthropic", fields), ...others];
}

function readParts(message: WireObject, place: string, calls: CallNames): LlmMessage[] {
  const role = toText(message["role"]);
  const { content } = message;
  switch (role) {
    case "system":
      return [
        withMessageFields({ role, content: readText(content, place) }, "anthropic", partFields(content, textFields)),
      ];
    case "assistant":
      return [readAssistant(content, place, calls)];
    case "user":
      return Array.isArray(content)
        ? readBlocks(readObjects(content, `${place}.content`), place, calls)
        : [{ role, content: readText(content, place) }];
  }
  return refuse(place, `has the role "${role}"`);
}

/** An earlier answer is read by the decoder of answers, so that a prompt and the answer before it agree. */
function readAssistant(content: unknown, place: string, calls: CallNames): AssistantMessage {
  const blocks =
    typeof content === "string" ? [{ type: "text", text: content }] : readObjects(content, `${place}.content`);
  for (const block of blocks)
    for (const key of BLOCK_TEXTS.get(toText(block["type"])) ?? []) readString(block, key, place);
  const said = decodeAnthropic({ content: blocks }).message;
  calls.add(said);
  return withMessageFields(said, "anthropic", partFields(blocks, assistantFields));
}

/** The texts of the blocks that our messages have a place for. */
const BLOCK_TEXTS: ReadonlyMap<string, readonly string[]> = new Map([
  ["text", ["text"]],
  ["tool_use", ["id", "name"]],
  ["thinking", ["thinking", "signature"]],
  ["redacted_thinking", ["data"]],
]);

/** All of a block that our messages have no place for, such as a summary of the conversation before it. */
function assistantFields(block: WireObject): JsonObject {
  const texts = BLOCK_TEXTS.get(toText(block["type"]));
  if (texts === undefined) return unknownFields(block, []);
  // Input that is not an object does not go back over this wire.
  return answerFields(block, ["type", ...texts, ...(isPlainObject(block["input"]) ? ["input"] : [])]);
}

/** One user message may hold tool results and then words of the user. Results become messages of their own. */
function readBlocks(blocks: readonly WireObject[], place: string, calls: CallNames): LlmMessage[] {
  const messages: LlmMessage[] = [];
  let own: WireObject[] = [];
  const flush = (): void => {
    const content = own.map((block) => readPart(block, place));
    const message = withMessageFields({ role: "user" as const, content }, "anthropic", partFields(own, blockFields));
    if (own.length > 0 || blocks.length === 0) messages.push(message);
    own = [];
  };
  for (const block of blocks) {
    if (block["type"] !== "tool_result") {
      own.push(block);
      continue;
    }
    flush();
    messages.push(readResult(block, place, calls));
  }
  flush();
  return messages;
}

function blockFields(block: WireObject): JsonObject {
  if (block["type"] !== "image") return textFields(block);
  const source = toObject(block["source"]);
  return {
    ...unknownFields(block, ["type", "source"]),
    ...nested(
      "source",
      unknownFields(source, ["type", ...(source["type"] === "url" ? ["url"] : ["media_type", "data"])]),
    ),
  };
}

function readResult(block: WireObject, place: string, calls: CallNames): ToolMessage {
  const toolCallId = readString(block, "tool_use_id", place);
  const { is_error: isError } = block;
  if (isGiven(isError) && typeof isError !== "boolean") refuse(`${place}.is_error`, "must be true or false");
  const result: ToolMessage = {
    role: "tool",
    toolCallId,
    name: calls.nameOf(toolCallId),
    content: readText(block["content"], place),
    ...(isError === true ? { isError: true } : {}),
  };
  return withMessageFields(result, "anthropic", {
    ...unknownFields(block, ["type", "tool_use_id", "content", "is_error"]),
    ...partFields(block["content"], textFields),
  });
}

function readPart(block: WireObject, place: string): ContentPart {
  const type = readString(block, "type", place);
  if (type === "text") return { type, text: readString(block, "text", place) };
  const source = toObject(block["source"]);
  const kind = toText(source["type"]);
  if (type === "image" && kind === "url") return { type, url: readString(source, "url", place) };
  if (type === "image" && kind === "base64") {
    return { type, mediaType: readString(source, "media_type", place), data: readString(source, "data", place) };
  }
  return refuse(place, `has a block of type "${type}"${kind === "" ? "" : ` from "${kind}"`}`);
}

function readTool(tool: WireObject): LlmToolDefinition {
  const type = readString(tool, "type", "tools");
  if (type !== "" && type !== "custom") return refuse("tools", `has one of type "${type}", which a turn cannot hold`);
  return {
    name: readString(tool, "name", "tools"),
    description: readString(tool, "description", "tools"),
    schema: readObject(tool["input_schema"], "tools.input_schema") as JsonObject,
  };
}

function readChoice(choice: WireObject): LlmSettings["toolChoice"] {
  const type = readString(choice, "type", "tool_choice");
  switch (type) {
    case "":
      return undefined;
    case "auto":
    case "none":
      return type;
    case "any":
      return "required";
    case "tool":
      return { name: readString(choice, "name", "tool_choice") };
  }
  return refuse("tool_choice", `has the type "${type}"`);
}

function readFormat(format: WireObject): LlmSettings["responseFormat"] {
  if (format["type"] !== "json_schema") return undefined;
  return { name: UNNAMED_FORMAT, schema: readObject(format["schema"], "output_config.format.schema") as JsonObject };
}
