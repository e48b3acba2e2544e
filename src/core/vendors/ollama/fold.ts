// Assembles an Ollama answer from its stream, line by line. Specification: ollama docs/api.md, "Generate a chat completion".

import { isPlainObject } from "../../canon/value.js";
import type { LlmStreamDelta } from "../../model/provider.js";
import { assertRoom, toDeltas, toPiece, type Fold, type StreamWire } from "../../http/fold.js";
import { createNdjsonReader } from "../../http/ndjson.js";
import { decodeOllama } from "./decode.js";
import {
  refuseErrorBody,
  toJsonText,
  toList,
  toObject,
  type Decoding,
  type WireObject,
} from "../../http/json-readers.js";

/** Ollama's chat API, streamed. Without a line with `done` the answer is not whole. */
export const ollamaStream: StreamWire = {
  createReader: createNdjsonReader,
  createFold: createOllamaFold,
  decode: decodeOllama,
  isSse: false,
};

const FIELDS = ["model", "logprobs", "done", "done_reason", "prompt_eval_count", "eval_count"] as const;

function createOllamaFold(decoding: Decoding): Fold {
  const fields: Record<string, unknown> = {};
  let hasMessage = false;
  let content = "";
  let thinking = "";
  const toolCalls: unknown[] = [];

  return {
    isEnded: () => fields["done"] === true,
    isWhole: () => fields["done"] === true,
    take(json) {
      const line = toObject(json);
      refuseErrorBody(line["error"], decoding);
      for (const name of FIELDS) if (Object.hasOwn(line, name)) fields[name] = line[name];
      hasMessage ||= isPlainObject(line["message"]);
      const piece = toObject(line["message"]);
      content += toPiece(piece["content"]);
      thinking += toPiece(piece["thinking"]);
      const deltas = toList(piece["tool_calls"]).map((call) => {
        assertRoom(toolCalls.length, "tool calls", decoding);
        return toCallDelta(toObject(call), toolCalls.push(call) - 1);
      });
      return [...toDeltas(toPiece(piece["content"]), toPiece(piece["thinking"])), ...deltas];
    },
    body: () => ({
      ...fields,
      ...(hasMessage ? { message: { role: "assistant", content, thinking, tool_calls: toolCalls } } : {}),
    }),
  };
}

/** A call comes whole, on any line. */
function toCallDelta(call: WireObject, index: number): LlmStreamDelta {
  const named = toObject(call["function"]);
  const id = toPiece(call["id"]);
  const written = named["arguments"] ?? "";
  return {
    type: "tool-call-delta",
    index,
    ...(id === "" ? {} : { id }),
    name: toPiece(named["name"]),
    argumentsText: typeof written === "string" ? written : toJsonText(written),
  };
}
