// A streamed answer in chunks that LangChain joins to the message a whole answer gives. Text and thoughts come as they are
// said. Calls come whole at the end: LangChain would complete arguments that broke off, and run them.

import type { AssistantMessage, LlmStreamDelta, LlmTurnResponse } from "../../../core/index.js";
import { writeFacts, type WrittenUsage } from "./answer.js";
import { SAID, writeThought, type WrittenBlock } from "./write-message.js";

/** A piece of an answer as the fields of LangChain's `AIMessageChunk`. For adapters. */
export interface WrittenChunk {
  /** What was said, for whoever listens to tokens. */
  text: string;
  fields: {
    content: string | WrittenBlock[];
    tool_call_chunks?: { type: "tool_call_chunk"; index: number; id: string; name: string; args: string }[];
    additional_kwargs?: Record<string, unknown>;
    usage_metadata?: WrittenUsage;
    response_metadata?: Record<string, unknown>;
  };
}

export interface ChunkWriter {
  delta(delta: LlmStreamDelta): WrittenChunk | undefined;
  /** The last one. */
  end(response: LlmTurnResponse): WrittenChunk;
}

/** One answer. Blocks are joined by their index: thoughts have 0, text after thoughts has 1. */
export function createChunkWriter(): ChunkWriter {
  let thoughts = "";
  let text = "";

  const textBlock = (piece: string): WrittenBlock[] => [{ type: "text", text: piece, index: 1 }];
  const thoughtBlock = (piece: string): WrittenBlock[] => [{ type: "reasoning", reasoning: piece, index: 0 }];

  return {
    delta(delta) {
      switch (delta.type) {
        case "text-delta":
          text += delta.text;
          return { text: delta.text, fields: { content: thoughts === "" ? delta.text : textBlock(delta.text) } };
        case "reasoning-delta":
          thoughts += delta.text;
          // A text that began as a plain one goes on as one; the thought is told at the end.
          return text === "" ? { text: "", fields: { content: thoughtBlock(delta.text) } } : undefined;
        case "tool-call-delta":
          return undefined;
      }
    },
    end(response) {
      const { message } = response;
      const { toolCalls = [], reasoning = [] } = message;
      // A provider that streams nothing, or nothing of the text, says it here.
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

/** Do the chunks say the thoughts of the message, no more and no less? */
function isSaid({ reasoning = [] }: AssistantMessage, thoughts: string): boolean {
  if (reasoning.length === 0) return thoughts === "";
  const [only] = reasoning;
  return reasoning.length === 1 && only?.type === "text" && only.signature === undefined && only.text === thoughts;
}

/** Arguments that were no object go as the JSON of their text, which LangChain takes for no arguments, whatever it is. */
function writeCallChunk(call: NonNullable<AssistantMessage["toolCalls"]>[number], index: number) {
  const { id, name, arguments: args, malformedArguments } = call;
  return { type: "tool_call_chunk" as const, index, id, name, args: JSON.stringify(malformedArguments ?? args) };
}

/** As LangChain has it, whole or streamed: calls whose arguments were no object last. */
function inOrder({ toolCalls, ...message }: AssistantMessage): AssistantMessage {
  if (toolCalls === undefined) return message;
  const [valid, torn] = [false, true].map((isTorn) =>
    toolCalls.filter(({ malformedArguments }) => (malformedArguments !== undefined) === isTorn),
  );
  return { ...message, toolCalls: [...(valid ?? []), ...(torn ?? [])] };
}
