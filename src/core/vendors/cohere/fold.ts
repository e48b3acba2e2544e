// Assembles an answer of Cohere's chat API from its events. Specification: Cohere API reference, "Chat with Streaming".

import type { LlmStreamDelta } from "../../model/provider.js";
import { assertRoom, toDeltas, toPiece, type Fold, type StreamWire } from "../../http/fold.js";
import { toObject, type Decoding, type WireObject } from "../../http/json-readers.js";
import { createSseReader } from "../../http/sse.js";
import { isGiven } from "../../wire/fields.js";
import { decodeCohere, refuseCohereError } from "./decode.js";

/** Cohere's chat, streamed. Without `message-end` the answer is not whole. */
export const cohereStream: StreamWire = {
  createReader: createSseReader,
  createFold: createCohereFold,
  decode: decodeCohere,
  isSse: true,
  endMark: "[DONE]",
};

interface FoldedCall {
  place: number;
  id: string;
  name: string;
  arguments: string;
}

function createCohereFold(decoding: Decoding): Fold {
  const parts = new Map<unknown, { type: string; text: string; thinking: string }>();
  const calls = new Map<unknown, FoldedCall>();
  let plan = "";
  const citations: unknown[] = [];
  const logprobs: unknown[] = [];
  let isStarted = false;
  /** The fields of the last event. */
  let end: WireObject | undefined;

  const takeContent = (index: unknown, content: WireObject): LlmStreamDelta[] => {
    const [text, thinking] = [toPiece(content["text"]), toPiece(content["thinking"])];
    const implied = Object.hasOwn(content, "thinking") ? "thinking" : "text";
    if (!parts.has(index)) assertRoom(parts.size, "content parts", decoding);
    const part = parts.get(index) ?? { type: toPiece(content["type"]) || implied, text: "", thinking: "" };
    parts.set(index, { ...part, text: part.text + text, thinking: part.thinking + thinking });
    return toDeltas(text, thinking);
  };
  const takeEvent = (event: WireObject): LlmStreamDelta[] => {
    const { type, index } = event;
    const delta = toObject(event["delta"]);
    const message = toObject(delta["message"]);
    switch (type) {
      case "message-start":
        isStarted = true;
        return [];
      case "content-start":
      case "content-delta":
        if (isGiven(event["logprobs"])) logprobs.push(event["logprobs"]);
        return takeContent(index, toObject(message["content"]));
      case "tool-plan-delta":
        plan += toPiece(message["tool_plan"]);
        return toDeltas(toPiece(message["tool_plan"]), "");
      case "tool-call-start":
      case "tool-call-delta":
        return [takeCall(calls, index, toObject(message["tool_calls"]), decoding)];
      case "citation-start":
        assertRoom(citations.length, "citations", decoding);
        citations.push(message["citations"]);
        return [];
      case "message-end":
        refuseCohereError(delta, decoding);
        end = delta;
        return [];
      default:
        if (!SILENT.includes(toPiece(type))) decoding.note(`an event of type "${toPiece(type)}"`);
        return [];
    }
  };

  return {
    isEnded: () => end !== undefined,
    isWhole: () => end !== undefined,
    take(json) {
      const event = toObject(json);
      refuseCohereError(event, decoding);
      return takeEvent(event);
    },
    body() {
      if (!isStarted && parts.size === 0 && calls.size === 0 && end === undefined) return {};
      const called = [...calls.values()].map(({ id, ...named }) => ({ id, function: named }));
      const message = { role: "assistant", content: [...parts.values()], tool_plan: plan, tool_calls: called };
      return { ...end, logprobs, message: { ...message, citations } };
    },
  };
}

function takeCall(
  calls: Map<unknown, FoldedCall>,
  index: unknown,
  call: WireObject,
  decoding: Decoding,
): LlmStreamDelta {
  const known = calls.get(index);
  if (known === undefined) assertRoom(calls.size, "tool calls", decoding);
  const [named, id] = [toObject(call["function"]), toPiece(call["id"])];
  const [name, argumentsText] = [toPiece(named["name"]), toPiece(named["arguments"])];
  const folded = known ?? { place: calls.size, id, name, arguments: "" };
  folded.arguments += argumentsText;
  calls.set(index, folded);
  const head = known === undefined ? { ...(id === "" ? {} : { id }), ...(name === "" ? {} : { name }) } : {};
  return { type: "tool-call-delta", index: folded.place, ...head, argumentsText };
}

/** Events without content. */
const SILENT: readonly string[] = ["content-end", "tool-call-end", "citation-end", "debug"];
