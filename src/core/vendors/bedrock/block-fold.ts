// One block of a streamed answer. Specification: Amazon Bedrock API reference, "ContentBlockStart" and "ContentBlockDelta".

import { fromBase64, joinBytes, toBase64 } from "../../canon/bytes.js";
import { isPlainObject } from "../../canon/value.js";
import type { LlmStreamDelta } from "../../model/provider.js";
import { toDeltas, toPiece } from "../../http/fold.js";
import { toObject, type Decoding, type WireObject } from "../../http/json-readers.js";

export interface BlockFold {
  begin(): LlmStreamDelta[];
  take(delta: WireObject): LlmStreamDelta[];
  /** The block as it is in an answer that is not streamed. Empty for a block that said nothing. */
  body(): WireObject[];
}

/** `place` is the index among the calls. Undefined for a block that is not a call of ours. */
export function createBlockFold(start: WireObject, place: number | undefined, decoding: Decoding): BlockFold {
  const [kind] = Object.keys(start);
  const texts = { text: "", thought: "", signature: "", input: "" };
  const redacted: string[] = [];
  const citations: unknown[] = [];
  let isThought = false;

  const takeThought = (thought: WireObject): LlmStreamDelta[] => {
    isThought = true;
    if (typeof thought["redactedContent"] === "string") redacted.push(thought["redactedContent"]);
    texts.signature += toPiece(thought["signature"]);
    texts.thought += toPiece(thought["text"]);
    return toDeltas("", toPiece(thought["text"]));
  };
  return {
    begin() {
      if (place === undefined) return [];
      const call = toObject(start["toolUse"]);
      const [id, name] = [toPiece(call["toolUseId"]), toPiece(call["name"])];
      return [{ type: "tool-call-delta", index: place, ...(id === "" ? {} : { id }), name, argumentsText: "" }];
    },
    take(delta) {
      const { text, toolUse: call, reasoningContent: thought, citation } = delta;
      if (typeof text === "string") {
        texts.text += text;
        return toDeltas(text, "");
      }
      if (isPlainObject(call)) {
        const input = toPiece(call["input"]);
        texts.input += input;
        return place === undefined ? [] : [{ type: "tool-call-delta", index: place, argumentsText: input }];
      }
      if (isPlainObject(thought)) return takeThought(thought);
      if (citation !== undefined) citations.push(citation);
      // The decoder itself notes a block of an unknown type.
      else if (kind === undefined) decoding.note(`a delta of type "${Object.keys(delta)[0] ?? ""}"`);
      return [];
    },
    body() {
      if (kind === "toolUse" || texts.input !== "") {
        // Text, which the reader of arguments parses.
        return [{ toolUse: { ...toObject(start["toolUse"]), input: texts.input } }];
      }
      if (kind !== undefined) return [start];
      if (redacted.length > 0) return [{ reasoningContent: { redactedContent: joinBase64(redacted) } }];
      if (isThought)
        return [{ reasoningContent: { reasoningText: { text: texts.thought, signature: texts.signature } } }];
      const { text } = texts;
      if (citations.length > 0) return [{ citationsContent: { content: [{ text }], citations } }];
      return text === "" ? [] : [{ text }];
    },
  };
}

/** Pieces of bytes, each in base64, as one. */
function joinBase64(pieces: readonly string[]): string {
  const parts = pieces.flatMap((piece) => fromBase64(piece) ?? []);
  return pieces.length > 1 && parts.length === pieces.length ? toBase64(joinBytes(parts)) : pieces.join("");
}
