// A prompt of the AI SDK as our messages. Nothing is left out: what has no field of ours goes to the extras, and what could not be
// replayed is refused by name.

import { defined } from "../../../../core/index.js";
import type { ContentPart, JsonObject, LlmMessage, ToolMessage, UserMessage } from "../../../../core/index.js";
import { type Loose, optional, toJson, toLoose, toText } from "../../loose.js";
import { readAssistant } from "../assistant.js";
import { refusePart, withExtras } from "../extras.js";
import { readFile } from "../file.js";
import type { PromptMessage } from "../spec.js";

export function readPrompt(prompt: readonly PromptMessage[]): LlmMessage[] {
  return prompt.flatMap(readMessage);
}

function readMessage(message: PromptMessage): LlmMessage | LlmMessage[] {
  const parts = Array.isArray(message.content) ? message.content.map(toLoose) : [];
  const options = optionsOf(toLoose(message));
  switch (message.role) {
    case "system":
      return withExtras({ role: "system", content: toText(message.content) }, options);
    case "user":
      return withExtras<UserMessage>({ role: "user", content: readUser(parts) }, options);
    case "assistant":
      return readAssistant(parts.filter(saysAnything), options);
    case "tool":
      return parts.map((part) => readResult(part, toLoose(options["options"])));
  }
  return refusePart(`a message with the role "${message.role}"`, "no version of the interface has one");
}

/** The SDK leaves an empty text out of its next prompt, in some versions. */
function saysAnything(part: Loose): boolean {
  return part["type"] !== "text" || toText(part["text"]) !== "" || Object.keys(optionsOf(part)).length > 0;
}

function optionsOf(value: Loose): JsonObject {
  const options = toJson(toLoose(value["providerOptions"])) as JsonObject;
  return Object.keys(options).length === 0 ? {} : { options };
}

/** One plain text is a string, as our own runtime writes it. */
function readUser(parts: readonly Loose[]): string | ContentPart[] {
  const read = parts.map(readUserPart);
  const [first] = read;
  return read.length === 1 && first?.type === "text" && Object.keys(first).length === 2 ? first.text : read;
}

function readUserPart(part: Loose): ContentPart {
  const options = optionsOf(part);
  const type = toText(part["type"]);
  if (type === "text") return withExtras<ContentPart>({ type, text: toText(part["text"]) }, options);
  if (type !== "file") return refusePart(`a part of type "${type}"`, "a user says texts and files");
  const file = readFile(part);
  const { mediaType = "", filename, data, url } = file;
  const named = { ...optional("filename", filename), ...options };
  if (typeof mediaType === "string" && /^image(\/|$)/.test(mediaType)) {
    if (typeof data === "string") return withExtras<ContentPart>({ type: "image", mediaType, data }, named);
    if (typeof url === "string") {
      const told = mediaType === ANY_IMAGE || mediaType === "image" ? {} : { mediaType };
      return withExtras<ContentPart>({ type: "image", url }, { ...told, ...named });
    }
  }
  return withExtras<ContentPart>({ type: "text", text: `[file: ${toText(mediaType)}]` }, { file, ...options });
}

/** What the SDK calls an image of which it knows no more; version 4 says `image`. */
export const ANY_IMAGE = "image/*";

function readResult(part: Loose, message: Loose): ToolMessage {
  const type = toText(part["type"]);
  if (type === "tool-approval-response") return readApproval(part);
  if (type !== "tool-result") return refusePart(`a part of type "${type}"`, "a tool message holds results of tools");
  const { output, ...said } = readOutput(toLoose(part["output"]));
  const shared = Object.keys(message).length === 0 ? {} : { message: toJson(message) };
  return withExtras<ToolMessage>(
    { role: "tool", toolCallId: toText(part["toolCallId"]), name: toText(part["toolName"]), ...said },
    { ...defined({ output }), ...optionsOf(part), ...shared },
  );
}

/** What a person said of a call that the vendor will run. It answers the approval's id, since it knows of no call. */
function readApproval(part: Loose): ToolMessage {
  const { approvalId, approved, reason } = part;
  const content = approved === true ? APPROVED : toText(reason) || DENIED;
  return withExtras<ToolMessage>(
    { role: "tool", toolCallId: toText(approvalId), name: "", content },
    { approval: toJson(part) },
  );
}

const APPROVED = "Tool execution approved.";

/** The text a model reads, and how to spell it again where that is not as a text. */
function readOutput(output: Loose): Pick<ToolMessage, "content" | "isError"> & { output?: JsonObject | string } {
  const type = toText(output["type"]);
  const { options } = optionsOf(output);
  const kept = options === undefined ? type : { type, options };
  switch (type) {
    case "text":
      return { content: toText(output["value"]), ...(options === undefined ? {} : { output: kept }) };
    case "error-text":
      return { content: toText(output["value"]), isError: true, ...(options === undefined ? {} : { output: kept }) };
    case "json":
      return { content: jsonText(output["value"]), output: kept };
    case "error-json":
      return { content: jsonText(output["value"]), isError: true, output: kept };
    case "execution-denied":
      return { content: toText(output["reason"]) || DENIED, output: kept };
    case "content":
      return readContentOutput(output["value"], optional("options", options));
  }
  return refusePart(`the result of a tool of type "${type}"`, "no version of the interface has one");
}

/** What the model reads of a call that nobody approved and nobody said why. */
export const DENIED = "Tool execution denied.";

function jsonText(value: unknown): string {
  return toText(JSON.stringify(toJson(value)));
}

/** Texts are read by the model; whatever stands among them is kept whole beside them. One plain text is that text. */
function readContentOutput(value: unknown, options: JsonObject): { content: string; output: JsonObject | string } {
  const items = Array.isArray(value) ? value.map(toLoose) : [];
  const kept = items.map((item): JsonObject => {
    const type = toText(item["type"]);
    const isFile = /^(file|image|media)/.test(type);
    if (!isFile) return toJson(item) as JsonObject;
    return { type: "file", ...readFile(item), ...optionsOf(item) };
  });
  const content = kept.map((item) => (item["type"] === "text" ? toText(item["text"]) : "")).join("\n");
  const [first] = kept;
  const isPlain = kept.length === 1 && first?.["type"] === "text" && Object.keys({ ...first, ...options }).length === 2;
  return { content, output: isPlain ? "content" : { type: "content", value: kept, ...options } };
}
