// A streamed answer as chunks that LangChain joins to the message of a whole answer. Texts and reasoning come as they arrive. Calls
// come whole at the end: LangChain would complete arguments that broke off, and run them.

import type { AssistantMessage, LlmStreamDelta, LlmTurnResponse } from "../../../core/index.js";
import { writeFacts, type WrittenUsage } from "./answer.js";
import { SAID, writeThought, type WrittenBlock } from "./write-message.js";

/** A piece of an answer as the fields of LangChain's `AIMessageChunk`. For adapters. */
export interface WrittenChunk {
  /** The text, for listeners to tokens. */
  text: string;
  fields: {
    content: string | WrittenBlock[];
    tool_call_chunks?: { type: "tool_call_chunk"; index: number; id: string; name: string; args: string }[];
    additional_kwargs?: Record<string, unknown>;
    usage_metadata?: WrittenUsage;
    response_metadata?: Record<string, unknown>;
  };
}

/** Writes one answer. LangChain joins blocks by index: reasoning has 0, text after reasoning has 1. */
export function createChunkWriter() {
  let thoughts = "";
  let text = "";

  const textBlock = (piece: string): WrittenBlock[] => [{ type: "text", text: piece, index: 1 }];
  const thoughtBlock = (piece: string): WrittenBlock[] => [{ type: "reasoning", reasoning: piece, index: 0 }];

  return {
    delta(delta: LlmStreamDelta): WrittenChunk | undefined {
      switch (delta.type) {
        case "text-delta":
          text += delta.text;
          return { text: delta.text, fields: { content: thoughts === "" ? delta.text : textBlock(delta.text) } };
        case "reasoning-delta":
          thoughts += delta.text;
          // A text that began as a plain string goes on as one. The reasoning comes at the end.
          return text === "" ? { text: "", fields: { content: thoughtBlock(delta.text) } } : undefined;
        case "tool-call-delta":
          return undefined;
      }
    },
    /** The last chunk. */
    end(response: LlmTurnResponse): WrittenChunk {
      const { message } = response;
      const { toolCalls = [], reasoning = [] } = message;
      // Text that the provider did not stream comes here.
      const rest = message.content.startsWith(text) ? message.content.slice(text.length) : "";
      const isNew = thoughts === "" && text === "" && reasoning.length > 0;
      const blocks = isNew ? reasoning.map((thought) => ({ ...writeThought(thought) })) : [];
      const said = rest === "" ? [] : [{ type: "text", text: rest }];
      const content = isNew ? [...blocks, ...said] : thoughts === "" || rest === "" ? rest : textBlock(rest);
      const isWhole = isNew || isSaid(message, thoughts);
      return {
        text: rest,
        fields: {
          content,
          ...(toolCalls.length === 0 ? {} : { tool_call_chunks: toolCalls.map(writeCallChunk) }),
          ...(isWhole && toolCalls.every((call) => call.malformedArguments === undefined)
            ? {}
            : { additional_kwargs: { [SAID]: inOrder(message) } }),
          ...writeFacts(response),
        },
      };
    },
  };
}

/** True if the chunks hold exactly the reasoning of the message. */
function isSaid({ reasoning = [] }: AssistantMessage, thoughts: string): boolean {
  if (reasoning.length === 0) return thoughts === "";
  const [only] = reasoning;
  return reasoning.length === 1 && only?.type === "text" && only.signature === undefined && only.text === thoughts;
}

/** Malformed arguments are written as the JSON of their text, which LangChain never reads as arguments. */
function writeCallChunk(call: NonNullable<AssistantMessage["toolCalls"]>[number], index: number) {
  const { id, name, arguments: args, malformedArguments } = call;
  return { type: "tool_call_chunk" as const, index, id, name, args: JSON.stringify(malformedArguments ?? args) };
}

/** The message in LangChain's order: calls with malformed arguments last. */
function inOrder({ toolCalls, ...message }: AssistantMessage): AssistantMessage {
  if (toolCalls === undefined) return message;
  const [valid, torn] = [false, true].map((isTorn) =>
    toolCalls.filter(({ malformedArguments }) => (malformedArguments !== undefined) === isTorn),
  );
  return { ...message, toolCalls: [...(valid ?? []), ...(torn ?? [])] };
}
