// The input of a model of the SDK as our messages, and back. Instructions are the first system message. Content without a field of
// ours goes to the extras, and content that could not be replayed is refused by name.

import type { ContentPart, JsonObject, LlmMessage, ToolMessage, UserMessage } from "../../../core/index.js";
import { given, optional, toJson, toLoose, asText, type Loose } from "../loose.js";
import { isAssistantItem, readAssistant, writeAssistant } from "./assistant.js";
import { extrasOf, refuse, withExtras } from "./extras.js";

export function readInput(instructions: string | undefined, input: unknown): LlmMessage[] {
  const messages: LlmMessage[] = [];
  if (instructions !== undefined && instructions !== "") {
    messages.push({ role: "system", content: instructions.toWellFormed() });
  }
  if (typeof input === "string") return [...messages, { role: "user", content: input.toWellFormed() }];
  let open: Loose[] = [];
  const close = (): void => {
    if (open.length > 0) messages.push(readAssistant(open));
    open = [];
  };
  for (const item of Array.isArray(input) ? input.map(toLoose) : []) {
    if (isAssistantItem(item)) open.push(item);
    else {
      close();
      messages.push(readItem(item));
    }
  }
  close();
  return messages;
}

function readItem(item: Loose): LlmMessage {
  const { type = "message", role } = item;
  if (type === "function_call_result") return readResult(item);
  if (type !== "message") return refuse(`an item of type "${asText(type)}"`, "our messages cannot hold its result");
  const { content, type: _, role: _role, ...rest } = item;
  const extras = toJson(rest) as JsonObject;
  if (role === "system") return withExtras({ role, content: asText(content) }, extras);
  if (role !== "user") return refuse(`a message with the role "${asText(role)}"`, "the protocol has no such role");
  if (typeof content === "string") return withExtras<UserMessage>({ role, content: asText(content) }, extras);
  const parts = Array.isArray(content) ? content.map((part) => readPart(toLoose(part))) : [];
  return withExtras<UserMessage>({ role, content: parts }, extras);
}

function readPart(part: Loose): ContentPart {
  const { type, text, image, ...rest } = part;
  const extras = toJson(rest) as JsonObject;
  if (type === "input_text") return withExtras<ContentPart>({ type: "text", text: asText(text) }, extras);
  if (type === "input_image" && typeof image === "string") {
    const [, mediaType, data] = /^data:([^;,]+);base64,([^]*)$/.exec(image) ?? [];
    if (mediaType !== undefined && data !== undefined) {
      return withExtras<ContentPart>({ type: "image", mediaType, data }, extras);
    }
    if (/^https?:/i.test(image)) return withExtras<ContentPart>({ type: "image", url: image.toWellFormed() }, extras);
  }
  if (type !== "input_image" && type !== "input_file" && type !== "audio") {
    return refuse(`a part of type "${asText(type)}"`, "user messages hold texts, images, files and audio");
  }
  return withExtras<ContentPart>({ type: "text", text: `[${type}]` }, { part: toJson(part) });
}

/** The text that the model reads. `output` is how it was wrapped, unless it was wrapped as the runner does. */
function readResult(item: Loose): ToolMessage {
  const { type: _, callId, name, status, output, ...rest } = item;
  const message = { role: "tool", toolCallId: asText(callId), name: asText(name) } as const;
  const extras = { ...(status === "completed" ? {} : optional({ status })), ...(toJson(rest) as JsonObject) };
  if (typeof output === "string")
    return withExtras({ ...message, content: asText(output) }, { output: "string", ...extras });
  const { type: kind, text, ...more } = toLoose(output);
  if (kind === "text" && Object.values(more).every((value) => value === undefined)) {
    return withExtras({ ...message, content: asText(text) }, extras);
  }
  const parts = Array.isArray(output) ? output.map(toLoose) : [toLoose(output)];
  const lines = parts.map((part) => asText(part["text"])).filter((line) => line !== "");
  return withExtras({ ...message, content: lines.join("\n") }, { output: { value: toJson(output) }, ...extras });
}

/** The inverse of `readInput`. */
export function writeInput(messages: readonly LlmMessage[]): { instructions: string | undefined; input: JsonObject[] } {
  const [first, ...others] = messages;
  const isInstructions = first?.role === "system" && Object.keys(extrasOf(first)).length === 0;
  return {
    instructions: isInstructions ? first.content : undefined,
    input: (isInstructions ? others : messages).flatMap(writeItems),
  };
}

function writeItems(message: LlmMessage): JsonObject[] {
  switch (message.role) {
    case "assistant":
      return writeAssistant(message);
    case "tool":
      return [writeResult(message)];
    case "system":
      return [{ type: "message", role: "system", content: message.content, ...(extrasOf(message) as JsonObject) }];
    case "user": {
      const { content } = message;
      const parts = typeof content === "string" ? content : content.map(writePart);
      return [{ type: "message", role: "user", content: parts, ...(extrasOf(message) as JsonObject) }];
    }
  }
}

function writePart(part: ContentPart): JsonObject {
  const { part: whole, ...extras } = extrasOf(part);
  if (whole !== undefined) return toLoose(whole) as JsonObject;
  if (part.type === "text") return { type: "input_text", text: part.text, ...(extras as JsonObject) };
  const image = "url" in part ? part.url : `data:${part.mediaType};base64,${part.data}`;
  return { type: "input_image", image, ...(extras as JsonObject) };
}

function writeResult(message: ToolMessage): JsonObject {
  const { output, status = "completed", ...extras } = extrasOf(message);
  const { value } = toLoose(output);
  const text = output === "string" ? message.content : { type: "text", text: message.content };
  return {
    type: "function_call_result",
    callId: message.toolCallId,
    name: message.name,
    ...given({ status }),
    output: value === undefined ? text : (value as JsonObject),
    ...(extras as JsonObject),
  };
}
