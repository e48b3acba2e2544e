// Our messages as LangChain's: the type of a message, and the fields of its class. Images have OpenAI's form, which all packages read;
// signed reasoning has Anthropic's form, whose API alone accepts it back.

import type { AssistantMessage, ContentPart, LlmMessage, LlmToolCall, Reasoning } from "../../../core/index.js";

/** The field of `additional_kwargs` for an answer that its chunks could not hold. */
export const SAID = "playhead_said";

/** A message of ours as the fields of LangChain's class of that type. For adapters. */
export type WrittenMessage =
  | { type: "system"; fields: { content: string } }
  | { type: "human"; fields: { content: string | WrittenBlock[] } }
  | { type: "ai"; fields: WrittenAnswer }
  | { type: "tool"; fields: { content: string; tool_call_id: string; name: string; status?: "error" } };

export type WrittenBlock = { type: string } & Record<string, unknown>;

export interface WrittenAnswer {
  content: string | WrittenBlock[];
  tool_calls: { type: "tool_call"; id: string; name: string; args: Record<string, unknown> }[];
  invalid_tool_calls: { type: "invalid_tool_call"; id: string; name: string; args: string; error: string }[];
}

/** Writes one message. Only the order between well-formed and malformed calls is lost. */
export function writeMessage(message: LlmMessage): WrittenMessage {
  switch (message.role) {
    case "system":
      return { type: "system", fields: { content: message.content } };
    case "user": {
      const { content } = message;
      return { type: "human", fields: { content: typeof content === "string" ? content : content.map(writePart) } };
    }
    case "assistant":
      return { type: "ai", fields: writeAnswer(message) };
    case "tool": {
      const { toolCallId, name, content, isError } = message;
      const status = isError === true ? { status: "error" as const } : {};
      return { type: "tool", fields: { content, tool_call_id: toolCallId, name, ...status } };
    }
  }
}

export function writeAnswer({ content, toolCalls = [], reasoning = [] }: AssistantMessage): WrittenAnswer {
  const text = content === "" ? [] : [{ type: "text", text: content }];
  return {
    content: reasoning.length === 0 ? content : [...reasoning.map(writeThought), ...text],
    tool_calls: toolCalls
      .filter(({ malformedArguments }) => malformedArguments === undefined)
      .map(({ id, name, arguments: args }) => ({ type: "tool_call", id, name, args })),
    invalid_tool_calls: toolCalls.flatMap(writeInvalid),
  };
}

function writeInvalid({ id, name, malformedArguments: args }: LlmToolCall): WrittenAnswer["invalid_tool_calls"] {
  if (args === undefined) return [];
  return [{ type: "invalid_tool_call", id, name, args, error: "The arguments are not one JSON object." }];
}

export function writeThought(thought: Reasoning): WrittenBlock {
  if (thought.type === "redacted") return { type: "redacted_thinking", data: thought.data };
  const { text, signature } = thought;
  if (signature === undefined) return { type: "reasoning", reasoning: text };
  return { type: "thinking", thinking: text, signature };
}

function writePart(part: ContentPart): WrittenBlock {
  if (part.type === "text") return { type: "text", text: part.text };
  const url = "url" in part ? part.url : `data:${part.mediaType};base64,${part.data}`;
  return { type: "image_url", image_url: { url } };
}
