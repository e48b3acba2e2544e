// One block of a streamed message. Specification: Anthropic API reference, "Streaming messages", content block delta types.

import { isPlainObject } from "../../canon/value.js";
import type { LlmStreamDelta } from "../../model/provider.js";
import { toDeltas, toPiece } from "../../http/fold.js";
import { toJsonText, toList, type Decoding, type WireObject } from "../../http/json-readers.js";

export interface BlockFold {
  begin(): LlmStreamDelta[];
  take(delta: WireObject): LlmStreamDelta[];
  end(): LlmStreamDelta[];
  body(): WireObject;
}

/** `place` is the index among the calls, for a block that is one. */
export function createBlockFold(start: WireObject, place: number, decoding: Decoding): BlockFold {
  const type = toPiece(start["type"]);
  const texts = { text: toPiece(start["text"]), thinking: toPiece(start["thinking"]), json: "" };
  let signature = toPiece(start["signature"]);
  const citations = [...toList(start["citations"])];
  const isCall = type === "tool_use";
  const toCallDelta = (argumentsText: string): LlmStreamDelta[] =>
    isCall ? [{ type: "tool-call-delta", index: place, argumentsText }] : [];

  return {
    begin() {
      if (!isCall) return toDeltas(texts.text, texts.thinking);
      const [id, name] = [toPiece(start["id"]), toPiece(start["name"])];
      return [{ type: "tool-call-delta", index: place, ...(id === "" ? {} : { id }), name, argumentsText: "" }];
    },
    take(delta) {
      switch (delta["type"]) {
        case "text_delta":
          texts.text += toPiece(delta["text"]);
          return toDeltas(toPiece(delta["text"]), "");
        case "thinking_delta":
          texts.thinking += toPiece(delta["thinking"]);
          return toDeltas("", toPiece(delta["thinking"]));
        case "input_json_delta":
          texts.json += toPiece(delta["partial_json"]);
          return toCallDelta(toPiece(delta["partial_json"]));
        case "signature_delta":
          signature += toPiece(delta["signature"]);
          return [];
        case "citations_delta":
          citations.push(delta["citation"]);
          return [];
        default:
          // The decoder itself notes a block of an unknown type.
          if (KNOWN_BLOCKS.includes(type)) decoding.note(`a delta of type "${toPiece(delta["type"])}"`);
          return [];
      }
    },
    end() {
      const { input } = start;
      const isTold = texts.json !== "" || !isPlainObject(input) || Object.keys(input).length === 0;
      return isTold ? [] : toCallDelta(toJsonText(input));
    },
    body: () => ({
      ...start,
      text: texts.text,
      thinking: texts.thinking,
      signature,
      citations,
      // Text, which the reader of arguments parses. A call without arguments gets no delta and keeps its first {}.
      ...(texts.json === "" ? {} : { input: texts.json }),
    }),
  };
}

const KNOWN_BLOCKS: readonly string[] = ["text", "thinking", "tool_use"];

/** The start of a block that came without one, by its first delta. */
export function toImpliedStart(delta: WireObject): WireObject {
  const types: Record<string, string> = {
    text_delta: "text",
    citations_delta: "text",
    thinking_delta: "thinking",
    signature_delta: "thinking",
    input_json_delta: "tool_use",
  };
  const type = toPiece(delta["type"]);
  return { type: Object.hasOwn(types, type) ? types[type] : type };
}
