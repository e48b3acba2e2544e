// Our messages as a prompt of the AI SDK, for a model of one version: the inverse of `readPrompt`. Results in sequence become one
// tool message, as the SDK itself writes them.

import type { ContentPart, JsonObject, LlmMessage, ToolMessage } from "../../../../core/index.js";
import { given, type Loose, objectIn, toLoose, asText } from "../../loose.js";
import { writeAssistant } from "../assistant.js";
import { extrasOf, refuse } from "../extras.js";
import { writeFile, writeResultFile } from "../file.js";
import { ANY_IMAGE, DENIED } from "./read.js";
import type { PromptMessage, SpecVersion } from "../sdk-types.js";

export function writePrompt(messages: readonly LlmMessage[], version: SpecVersion): PromptMessage[] {
  const prompt: PromptMessage[] = [];
  let open: { content: JsonObject[]; shared: string } | undefined;
  for (const message of messages) {
    if (message.role !== "tool") {
      open = undefined;
      prompt.push(writeMessage(message, version));
      continue;
    }
    const options = objectIn(extrasOf(message), "message");
    const shared = JSON.stringify(options ?? {});
    if (open?.shared !== shared) {
      open = { content: [], shared };
      prompt.push({ role: "tool", content: open.content, ...given({ providerOptions: options }) });
    }
    open.content.push(writeResult(message, version));
  }
  return prompt;
}

function writeMessage(message: Exclude<LlmMessage, ToolMessage>, version: SpecVersion): PromptMessage {
  const options = given({ providerOptions: extrasOf(message)["options"] });
  switch (message.role) {
    case "system":
      return { role: "system", content: message.content, ...options };
    case "user": {
      const { content } = message;
      const parts: readonly ContentPart[] = typeof content === "string" ? [{ type: "text", text: content }] : content;
      return { role: "user", content: parts.map((part) => writeUserPart(part, version)), ...options };
    }
    case "assistant":
      return { role: "assistant", content: writeAssistant(message, "prompt", version), ...options };
  }
}

function writeUserPart(part: ContentPart, version: SpecVersion): JsonObject {
  const { file, filename, mediaType = ANY_IMAGE, options } = extrasOf(part);
  const shared = given({ providerOptions: options });
  if (file !== undefined) return { type: "file", ...writeFile(toLoose(file), version), ...shared };
  if (part.type === "text") return { type: "text", text: part.text, ...shared };
  return { type: "file", ...writeFile({ mediaType, ...part, filename }, version), ...shared };
}

function writeResult(message: ToolMessage, version: SpecVersion): JsonObject {
  const { output, options, approval } = extrasOf(message);
  if (approval !== undefined) {
    if (version === "v2") refuse("the answer to an approval", "the model has version v2");
    return { ...toLoose(approval) } as JsonObject;
  }
  return {
    type: "tool-result",
    toolCallId: message.toolCallId,
    toolName: message.name,
    output: writeOutput(message, output, version),
    ...given({ providerOptions: options }),
  };
}

/** The output of a tool in one version of the SDK. */
export function writeOutput({ content, isError }: ToolMessage, output: unknown, version: SpecVersion): JsonObject {
  const kept = toLoose(output);
  const type = asText(typeof output === "string" ? output : kept["type"]);
  const shared = given({ providerOptions: kept["options"] });
  switch (type) {
    case "json":
    case "error-json": {
      const value = parseJson(content);
      if (value !== undefined) return { type, value: value as JsonObject, ...shared };
      break;
    }
    case "execution-denied":
      if (version === "v2") return { type: "error-text", value: content };
      return { type, ...(content === DENIED ? {} : { reason: content }), ...shared };
    case "content":
      if (typeof output === "string") return { type, value: [{ type: "text", text: content }] };
      return { type, value: writeItems(kept["value"], version), ...shared };
  }
  return { type: isError === true ? "error-text" : "text", value: content, ...shared };
}

/** Undefined if the text is no longer JSON, as after a redaction. */
function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

function writeItems(value: unknown, version: SpecVersion): JsonObject[] {
  return (Array.isArray(value) ? value.map(toLoose) : []).map((item: Loose) => {
    if (item["type"] === "file") {
      return { ...writeResultFile(item, version), ...given({ providerOptions: item["options"] }) };
    }
    if (item["type"] === "text" || version !== "v2") return { ...item } as JsonObject;
    return refuse(`"${asText(item["type"])}" in the result of a tool`, "the model has version v2");
  });
}
