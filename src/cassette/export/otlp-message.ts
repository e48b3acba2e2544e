// Messages as the attributes `gen_ai.input.messages`, `gen_ai.output.messages` and `gen_ai.system_instructions` hold them:
// {role, parts}. Specification: OpenTelemetry semantic conventions for generative AI, the JSON schemas of these attributes.

import type {
  AssistantMessage,
  ContentPart,
  JsonObject,
  LlmMessage,
  LlmTurnResponse,
  StopReason,
} from "../../core/index.js";
import type { LossLog } from "./loss.js";

/** Separates the system messages at the beginning of a prompt from the others. */
export function splitPrompt(prompt: readonly LlmMessage[]): { system: JsonObject[]; input: readonly LlmMessage[] } {
  const first = prompt.findIndex(({ role }) => role !== "system");
  const at = first < 0 ? prompt.length : first;
  const system = prompt.slice(0, at).map(({ content }) => ({ type: "text", content: content as string }));
  return { system, input: prompt.slice(at) };
}

export function toOtlpMessage(message: LlmMessage): JsonObject {
  switch (message.role) {
    case "system":
      return { role: "system", parts: [toTextPart(message.content)] };
    case "user": {
      const { content } = message;
      return { role: "user", parts: typeof content === "string" ? [toTextPart(content)] : content.map(toPart) };
    }
    case "assistant":
      return { role: "assistant", parts: toAssistantParts(message) };
    case "tool":
      return {
        role: "tool",
        parts: [{ type: "tool_call_response", id: message.toolCallId, response: message.content }],
      };
  }
}

export function toOtlpAnswer({ message, stopReason }: LlmTurnResponse): JsonObject {
  return { role: "assistant", parts: toAssistantParts(message), finish_reason: FINISH_REASONS[stopReason] };
}

/** The words of the conventions for our stop reasons. */
export const FINISH_REASONS: Readonly<Record<StopReason, string>> = {
  stop: "stop",
  toolUse: "tool_call",
  length: "length",
  contentFilter: "content_filter",
  error: "error",
};

export function countThoughtLosses({ reasoning = [] }: AssistantMessage, losses: LossLog): void {
  for (const thought of reasoning) {
    if (thought.type === "redacted") losses.add("reasoning");
    else if (thought.signature !== undefined) losses.add("reasoning-signature");
  }
}

function toTextPart(content: string): JsonObject {
  return { type: "text", content };
}

function toPart(part: ContentPart): JsonObject {
  if (part.type === "text") return toTextPart(part.text);
  if ("url" in part) return { type: "uri", modality: "image", uri: part.url };
  return { type: "blob", modality: "image", mime_type: part.mediaType, content: part.data };
}

function toAssistantParts({ content, toolCalls = [], reasoning = [] }: AssistantMessage): JsonObject[] {
  return [
    ...reasoning.flatMap((thought) => (thought.type === "text" ? [{ type: "reasoning", content: thought.text }] : [])),
    ...(content === "" ? [] : [toTextPart(content)]),
    ...toolCalls.map(({ id, name, arguments: given, malformedArguments }) => ({
      type: "tool_call",
      id,
      name,
      arguments: malformedArguments ?? given,
    })),
  ];
}
