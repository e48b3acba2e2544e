// Assembles a message from its stream. Specification: Anthropic API reference, "Streaming messages".

import type { LlmStreamDelta } from "../../model/provider.js";
import { decodeAnthropic } from "./decode.js";
import { createBlockFold, toImpliedStart, type BlockFold } from "./block-fold.js";
import { assertRoom, toPiece, type Fold, type StreamWire } from "../../http/fold.js";
import { createSseReader } from "../../http/sse.js";
import { refuseErrorBody, toList, toObject, type Decoding, type WireObject } from "../../http/json-readers.js";

/** The Messages API, streamed. Without `message_stop` the answer is not whole. */
export const anthropicStream: StreamWire = {
  createReader: createSseReader,
  createFold: createAnthropicFold,
  decode: decodeAnthropic,
  isSse: true,
};

const COUNTS = [
  "input_tokens",
  "output_tokens",
  "cache_read_input_tokens",
  "cache_creation_input_tokens",
  "cache_creation",
  "output_tokens_details",
  "server_tool_use",
  "service_tier",
] as const;

function createAnthropicFold(decoding: Decoding): Fold {
  const message: Record<string, unknown> = {};
  const usage: Record<string, unknown> = {};
  const blocks: BlockFold[] = [];
  const byIndex = new Map<unknown, BlockFold>();
  let callCount = 0;
  let isEnded = false;

  const open = (index: unknown, start: WireObject): BlockFold => {
    assertRoom(blocks.length, "content blocks", decoding);
    const block = createBlockFold(start, callCount, decoding);
    if (start["type"] === "tool_use") callCount += 1;
    blocks.push(block);
    byIndex.set(index, block);
    return block;
  };
  const takeFields = (fields: WireObject, counts: WireObject): LlmStreamDelta[] => {
    for (const [name, value] of Object.entries(fields)) message[name] = value ?? message[name];
    // Counts are those of the whole message so far.
    for (const name of COUNTS) usage[name] = counts[name] ?? usage[name];
    return [];
  };

  const takeEvent = (event: WireObject): LlmStreamDelta[] => {
    const index = event["index"];
    switch (event["type"]) {
      case "message_start": {
        const { usage: counts, ...start } = toObject(event["message"]);
        return takeFields({ ...start, content: toList(start["content"]) }, toObject(counts));
      }
      case "content_block_start":
        return open(index, toObject(event["content_block"])).begin();
      case "content_block_delta": {
        const delta = toObject(event["delta"]);
        return (byIndex.get(index) ?? open(index, toImpliedStart(delta))).take(delta);
      }
      case "content_block_stop":
        return byIndex.get(index)?.end() ?? [];
      case "message_delta": {
        const { type: _, delta, usage: counts, ...fields } = event;
        return takeFields({ ...fields, ...toObject(delta) }, toObject(counts));
      }
      case "message_stop":
        isEnded = true;
        return [];
      case "ping":
        return [];
      default:
        decoding.note(`an event of type "${toPiece(event["type"])}"`);
        return [];
    }
  };

  return {
    isEnded: () => isEnded,
    isWhole: () => isEnded,
    take(json) {
      const event = toObject(json);
      refuseErrorBody(event["error"], decoding);
      return takeEvent(event);
    },
    body() {
      const started = message["content"];
      if (started === undefined && blocks.length === 0) return {};
      return { ...message, content: [...toList(started), ...blocks.map((block) => block.body())], usage };
    },
  };
}
