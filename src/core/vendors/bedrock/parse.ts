// A body of Converse as a turn request, the inverse of `encodeBedrock`. This wire does not carry the places of system messages (they come
// first), thoughts without a signature, or `seed`. Marks for the cache are left out. Fields without a setting are kept (fields.ts).

import { isPlainObject, type JsonObject } from "../../canon/value.js";
import type { AssistantMessage, ContentPart, LlmMessage, SystemMessage, ToolMessage } from "../../model/message.js";
import { toJsonText, toObject, toText, type WireObject } from "../../http/json-readers.js";
import { createCallNames, type CallNames } from "../../wire/call-names.js";
import {
  answerFields,
  bodyFields,
  isGiven,
  nested,
  partFields,
  toolFields,
  unknownFields,
  wireFieldsOf,
  withMessageFields,
} from "../../wire/fields.js";
import { refuseHeldState } from "../../wire/held-state.js";
import {
  readMessageList,
  readNumber,
  readObject,
  readObjects,
  readStops,
  readString,
  refuse,
  toTurn,
  type WireTurn,
} from "../../wire/turn.js";
import { decodeBedrock, isVendorsCall } from "./decode.js";
import { choiceFields, formatFields, readChoice, readFormat, readTool } from "./offer.js";

const READ = ["messages", "system", "inferenceConfig", "toolConfig", "outputConfig"];
const READ_SETTINGS = ["maxTokens", "temperature", "topP", "stopSequences"];

/** Parses a body of Converse. Throws `invalid-options` for anything that a turn request cannot hold. */
export function parseBedrock(json: unknown, model: string, isStream: boolean): WireTurn {
  refuseHeldState(json);
  const body = toObject(json);
  const config = readObject(body["inferenceConfig"], "inferenceConfig");
  const toolConfig = readObject(body["toolConfig"], "toolConfig");
  const calls = createCallNames();
  const tools = readBlocks(toolConfig["tools"], "toolConfig.tools");
  const specs = tools.flatMap(({ toolSpec }) => (isGiven(toolSpec) ? [readObject(toolSpec, "toolSpec")] : []));
  return toTurn({
    wire: "bedrock",
    fields: readFields(body, tools, specs),
    messages: [
      ...readBlocks(body["system"], "system").map(readSystem),
      ...readMessageList(body).flatMap((message, index) => readMessage(message, `messages[${index}]`, calls)),
    ],
    tools: specs.map(readTool),
    settings: {
      maxTokens: readNumber(config, "maxTokens"),
      temperature: readNumber(config, "temperature"),
      topP: readNumber(config, "topP"),
      stop: readStops(config["stopSequences"]),
      toolChoice: readChoice(readObject(toolConfig["toolChoice"], "toolConfig.toolChoice")),
      responseFormat: readFormat(body),
    },
    model,
    isStream,
    wantsUsage: true,
  });
}

/** A list of blocks without those that only say what the vendor caches. */
function readBlocks(value: unknown, place: string): readonly WireObject[] {
  return readObjects(value, place).filter(({ cachePoint, ...others }) => {
    return !isGiven(cachePoint) || Object.keys(others).length > 0;
  });
}

function readFields(body: WireObject, tools: readonly WireObject[], specs: readonly WireObject[]): JsonObject {
  const config = toObject(body["toolConfig"]);
  const choice = toObject(config["toolChoice"]);
  const hosted = tools.map((tool) => unknownFields(tool, ["toolSpec"])).filter((tool) => Object.keys(tool).length > 0);
  return {
    ...bodyFields(body, READ),
    ...nested("inferenceConfig", unknownFields(toObject(body["inferenceConfig"]), READ_SETTINGS)),
    ...nested("toolConfig", {
      ...unknownFields(config, ["tools", "toolChoice"]),
      ...nested("toolChoice", choiceFields(choice)),
      ...(hosted.length === 0 ? {} : { tools: hosted }),
    }),
    ...nested("outputConfig", formatFields(body)),
    ...toolFields(specs, (spec) => ({
      name: spec["name"],
      fields: {
        ...unknownFields(spec, ["name", "description", "inputSchema"]),
        ...nested("inputSchema", unknownFields(toObject(spec["inputSchema"]), ["json"])),
      },
    })),
  };
}

function readSystem(block: WireObject): SystemMessage {
  const isText = typeof block["text"] === "string";
  const content = isText ? toText(block["text"]) : "";
  return withMessageFields({ role: "system", content }, "bedrock", unknownFields(block, isText ? ["text"] : []));
}

/** Fields of the whole message go with its first part. */
function readMessage(message: WireObject, place: string, calls: CallNames): LlmMessage[] {
  const role = toText(message["role"]);
  if (role !== "user" && role !== "assistant") refuse(place, `has the role "${role}"`);
  const blocks = readBlocks(message["content"], `${place}.content`);
  const [first, ...others] = role === "user" ? readUser(blocks, place, calls) : [readAssistant(blocks, place, calls)];
  if (first === undefined) return [];
  const fields = { ...unknownFields(message, ["role", "content"]), ...wireFieldsOf(first, "bedrock") };
  return [withMessageFields(first, "bedrock", fields), ...others];
}

/** An earlier answer is read by the decoder of answers, so that a prompt and the answer before it agree. */
function readAssistant(blocks: readonly WireObject[], place: string, calls: CallNames): AssistantMessage {
  for (const { toolUse, reasoningContent: thought } of blocks) {
    for (const key of ["toolUseId", "name"]) readString(readObject(toolUse, `${place}.toolUse`), key, place);
    const text = readObject(readObject(thought, `${place}.reasoningContent`)["reasoningText"], place);
    for (const key of ["text", "signature"]) readString(text, key, place);
    readString(toObject(thought), "redactedContent", place);
  }
  const { message } = decodeBedrock({ output: { message: { content: blocks } } });
  calls.add(message);
  return withMessageFields(message, "bedrock", partFields(blocks, assistantFields));
}

/** The parts of a block that our messages have no place for, in the order in which the decoder reads a block. */
function assistantFields(block: WireObject): JsonObject {
  const { text, toolUse: call, reasoningContent: thought, citationsContent: cited } = block;
  if (typeof text === "string") return unknownFields(block, ["text"]);
  if (isPlainObject(call) && !isVendorsCall(call)) {
    // Input that is not an object does not go back over this wire.
    const known = ["toolUseId", "name", "type", ...(isPlainObject(call["input"]) ? ["input"] : [])];
    return { ...unknownFields(block, ["toolUse"]), ...nested("toolUse", unknownFields(call, known)) };
  }
  if (isPlainObject(thought)) return thoughtFields(block, thought);
  if (!isPlainObject(cited)) return unknownFields(block, []);
  const { content } = cited;
  const isText = Array.isArray(content) && content.every((part) => typeof toObject(part)["text"] === "string");
  return {
    ...unknownFields(block, ["citationsContent"]),
    ...nested("citationsContent", answerFields(cited, isText ? ["content"] : [])),
  };
}

function thoughtFields(block: WireObject, thought: WireObject): JsonObject {
  const [key, known] =
    typeof thought["redactedContent"] === "string"
      ? (["redactedContent", []] as const)
      : (["reasoningText", ["text", "signature"]] as const);
  return {
    ...unknownFields(block, ["reasoningContent"]),
    ...nested("reasoningContent", {
      ...unknownFields(thought, [key]),
      ...nested(key, unknownFields(toObject(thought[key]), known)),
    }),
  };
}

/** One user message may hold tool results and then words of the user. Results become messages of their own. */
function readUser(blocks: readonly WireObject[], place: string, calls: CallNames): LlmMessage[] {
  const messages: LlmMessage[] = [];
  let own: WireObject[] = [];
  const flush = (): void => {
    if (own.length > 0 || blocks.length === 0) messages.push(readOwn(own, place));
    own = [];
  };
  for (const block of blocks) {
    if (!isGiven(block["toolResult"])) {
      own.push(block);
      continue;
    }
    flush();
    messages.push(readResult(block, place, calls));
  }
  flush();
  return messages;
}

/** One text is a string, anything else a list. A block that is neither text nor image is kept in the fields. */
function readOwn(blocks: readonly WireObject[], place: string): LlmMessage {
  const content = blocks.flatMap((block) => readPart(block, place) ?? []);
  const [only] = content;
  const isText = blocks.length === 1 && only?.type === "text";
  return withMessageFields(
    { role: "user", content: isText ? only.text : content },
    "bedrock",
    partFields(blocks, blockFields),
  );
}

function readPart(block: WireObject, place: string): ContentPart | undefined {
  if (isGiven(block["text"])) return { type: "text", text: readString(block, "text", place) };
  if (!isInline(block)) return undefined;
  const image = toObject(block["image"]);
  const source = toObject(image["source"]);
  return { type: "image", mediaType: `image/${toText(image["format"])}`, data: toText(source["bytes"]) };
}

/** True for an image with its bytes. Another one is kept as it is, since only the vendor can load it. */
function isInline({ image }: WireObject): boolean {
  const { format, source } = toObject(image);
  return typeof format === "string" && typeof toObject(source)["bytes"] === "string";
}

function blockFields(block: WireObject): JsonObject {
  if (isGiven(block["text"])) return unknownFields(block, ["text"]);
  if (!isInline(block)) return unknownFields(block, []);
  const image = toObject(block["image"]);
  return {
    ...unknownFields(block, ["image"]),
    ...nested("image", {
      ...unknownFields(image, ["format", "source"]),
      ...nested("source", unknownFields(toObject(image["source"]), ["bytes"])),
    }),
  };
}

function readResult(block: WireObject, place: string, calls: CallNames): ToolMessage {
  const result = readObject(block["toolResult"], `${place}.toolResult`);
  const toolCallId = readString(result, "toolUseId", place);
  const parts = readBlocks(result["content"], `${place}.toolResult.content`);
  const status = toText(result["status"]);
  const message: ToolMessage = {
    role: "tool",
    toolCallId,
    name: calls.nameOf(toolCallId),
    content: parts.map((part) => readResultPart(part)).join(""),
    ...(status === "error" ? { isError: true } : {}),
  };
  return withMessageFields(message, "bedrock", {
    ...nested("block", unknownFields(block, ["toolResult"])),
    ...nested("toolResult", {
      ...unknownFields(result, ["toolUseId", "content", ...(["error", "success"].includes(status) ? ["status"] : [])]),
      ...partFields(parts, resultFields),
    }),
  });
}

/** Text, or JSON as text. Anything else is kept in the fields. */
function readResultPart({ text, json }: WireObject): string {
  if (typeof text === "string") return toText(text);
  return isGiven(json) ? toJsonText(json) : "";
}

function resultFields(part: WireObject): JsonObject {
  if (typeof part["text"] === "string") return unknownFields(part, ["text"]);
  // Text that looks like this JSON is something else to a model.
  return isGiven(part["json"]) ? { ...unknownFields(part, ["json"]), json: true } : unknownFields(part, []);
}
