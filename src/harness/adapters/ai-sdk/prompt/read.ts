// A prompt of the AI SDK as our messages. Nothing is dropped: content without a field of ours goes to the extras, and content that
// could not be replayed is refused by name.

import {
  defined,
  type ContentPart,
  type JsonObject,
  type LlmMessage,
  type ToolMessage,
  type UserMessage,
} from "../../../../core/index.js";
import { type Loose, optional, toJson, toLoose, asText } from "../../loose.js";
import { readAssistant } from "../assistant.js";
import { refuse, withExtras } from "../extras.js";
import { readFile } from "../file.js";
import type { PromptMessage } from "../sdk-types.js";

export function readPrompt(prompt: readonly PromptMessage[]): LlmMessage[] {
  return prompt.flatMap(readMessage);
}

function readMessage(message: PromptMessage): LlmMessage | LlmMessage[] {
  const parts = Array.isArray(message.content) ? message.content.map(toLoose) : [];
  const options = optionsOf(toLoose(message));
  switch (message.role) {
    case "system":
      return withExtras({ role: "system", content: asText(message.content) }, options);
    case "user":
      return withExtras<UserMessage>({ role: "user", content: readUser(parts) }, options);
    case "assistant":
      return readAssistant(parts.filter(isKept), options);
    case "tool":
      return parts.map((part) => readResult(part, toLoose(options["options"])));
  }
  return refuse(`a message with the role "${message.role}"`, "no version of the interface has it");
}

/** Some versions of the SDK leave an empty text out of the next prompt. */
function isKept(part: Loose): boolean {
  return part["type"] !== "text" || asText(part["text"]) !== "" || Object.keys(optionsOf(part)).length > 0;
}

function optionsOf(value: Loose): JsonObject {
  const options = toJson(toLoose(value["providerOptions"])) as JsonObject;
  return Object.keys(options).length === 0 ? {} : { options };
}

/** A single plain text becomes a string, as our own runtime writes it. */
function readUser(parts: readonly Loose[]): string | ContentPart[] {
  const read = parts.map(readUserPart);
  const [first] = read;
  return read.length === 1 && first?.type === "text" && Object.keys(first).length === 2 ? first.text : read;
}

function readUserPart(part: Loose): ContentPart {
  const options = optionsOf(part);
  const type = asText(part["type"]);
  if (type === "text") return withExtras<ContentPart>({ type, text: asText(part["text"]) }, options);
  if (type !== "file") return refuse(`a part of type "${type}"`, "user messages hold texts and files");
  const file = readFile(part);
  const { mediaType = "", filename, data, url } = file;
  const named = { ...optional({ filename }), ...options };
  if (typeof mediaType === "string" && /^image(\/|$)/.test(mediaType)) {
    if (typeof data === "string") return withExtras<ContentPart>({ type: "image", mediaType, data }, named);
    if (typeof url === "string") {
      const type = mediaType === ANY_IMAGE || mediaType === "image" ? {} : { mediaType };
      return withExtras<ContentPart>({ type: "image", url }, { ...type, ...named });
    }
  }
  return withExtras<ContentPart>({ type: "text", text: `[file: ${asText(mediaType)}]` }, { file, ...options });
}

/** The SDK's media type for an image of an unknown kind; version 4 writes `image`. */
export const ANY_IMAGE = "image/*";

function readResult(part: Loose, message: Loose): ToolMessage {
  const type = asText(part["type"]);
  if (type === "tool-approval-response") return readApproval(part);
  if (type !== "tool-result") return refuse(`a part of type "${type}"`, "tool messages hold results of tools");
  const { output, ...content } = readOutput(toLoose(part["output"]));
  const shared = Object.keys(message).length === 0 ? {} : { message: toJson(message) };
  return withExtras<ToolMessage>(
    { role: "tool", toolCallId: asText(part["toolCallId"]), name: asText(part["toolName"]), ...content },
    { ...defined({ output }), ...optionsOf(part), ...shared },
  );
}

/** A person's decision on a call that the vendor will run. It answers the approval's id, since it names no call. */
function readApproval(part: Loose): ToolMessage {
  const { approvalId, approved, reason } = part;
  const content = approved === true ? "Tool execution approved." : asText(reason) || DENIED;
  return withExtras<ToolMessage>(
    { role: "tool", toolCallId: asText(approvalId), name: "", content },
    { approval: toJson(part) },
  );
}

/** The text that the model reads, and how to write it again unless it is a plain text. */
function readOutput(output: Loose): Pick<ToolMessage, "content" | "isError"> & { output?: JsonObject | string } {
  const type = asText(output["type"]);
  const { options } = optionsOf(output);
  const kept = options === undefined ? type : { type, options };
  switch (type) {
    case "text":
      return { content: asText(output["value"]), ...(options === undefined ? {} : { output: kept }) };
    case "error-text":
      return { content: asText(output["value"]), isError: true, ...(options === undefined ? {} : { output: kept }) };
    case "json":
      return { content: jsonText(output["value"]), output: kept };
    case "error-json":
      return { content: jsonText(output["value"]), isError: true, output: kept };
    case "execution-denied":
      return { content: asText(output["reason"]) || DENIED, output: kept };
    case "content":
      return readContentOutput(output["value"], optional({ options }));
  }
  return refuse(`the result of a tool of type "${type}"`, "no version of the interface has it");
}

/** The text for a call that was denied without a reason. */
export const DENIED = "Tool execution denied.";

function jsonText(value: unknown): string {
  return asText(JSON.stringify(toJson(value)));
}

/** Joins the texts, which the model reads, and keeps all items. A single plain text needs no items. */
function readContentOutput(value: unknown, options: JsonObject): { content: string; output: JsonObject | string } {
  const items = Array.isArray(value) ? value.map(toLoose) : [];
  const kept = items.map((item): JsonObject => {
    const type = asText(item["type"]);
    const isFile = /^(file|image|media)/.test(type);
    if (!isFile) return toJson(item) as JsonObject;
    return { type: "file", ...readFile(item), ...optionsOf(item) };
  });
  const content = kept.map((item) => (item["type"] === "text" ? asText(item["text"]) : "")).join("\n");
  const [first] = kept;
  const isPlain = kept.length === 1 && first?.["type"] === "text" && Object.keys({ ...first, ...options }).length === 2;
  return { content, output: isPlain ? "content" : { type: "content", value: kept, ...options } };
}
