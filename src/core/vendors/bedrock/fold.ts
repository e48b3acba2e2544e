// Assembles an answer from its stream. Specification: Amazon Bedrock API reference, "ConverseStream". Each event is one key with its
// fields. Text and thoughts have no opening event.

import type { LlmStreamDelta } from "../../model/provider.js";
import { createFrameReader, FRAMES_TYPE } from "../../http/event-frames.js";
import { assertRoom, toPiece, type BinaryStream, type Fold } from "../../http/fold.js";
import { refuseErrorBody, toObject, type Decoding, type WireObject } from "../../http/json-readers.js";
import { createBlockFold, type BlockFold } from "./block-fold.js";
import { decodeBedrock, isVendorsCall } from "./decode.js";

/** ConverseStream. Without `messageStop` and `metadata`, which holds the counts, the answer is not whole. */
export const bedrockStream: BinaryStream = {
  createFrameReader,
  createFold: createBedrockFold,
  decode: decodeBedrock,
  mediaType: FRAMES_TYPE,
};

function createBedrockFold(decoding: Decoding): Fold {
  const answer: Record<string, unknown> = {};
  const blocks = new Map<unknown, BlockFold>();
  let callCount = 0;

  const open = (index: unknown, start: WireObject): BlockFold => {
    assertRoom(blocks.size, "content blocks", decoding);
    const { toolUse: call } = start;
    const isCall = call !== undefined && !isVendorsCall(toObject(call));
    const block = createBlockFold(start, isCall ? callCount++ : undefined, decoding);
    blocks.set(index, block);
    return block;
  };
  const takeAnswer = ({ p: _padding, ...fields }: WireObject): LlmStreamDelta[] => {
    Object.assign(answer, fields);
    return [];
  };
  const take = (type: string, fields: WireObject): LlmStreamDelta[] => {
    const index = fields["contentBlockIndex"];
    switch (type) {
      case "contentBlockStart":
        return open(index, toObject(fields["start"])).begin();
      case "contentBlockDelta":
        return (blocks.get(index) ?? open(index, {})).take(toObject(fields["delta"]));
      case "messageStart":
      case "contentBlockStop":
        return [];
      case "messageStop":
        return takeAnswer({ stopReason: undefined, ...fields });
      case "metadata":
        return takeAnswer({ usage: undefined, ...fields });
      default:
        decoding.note(`an event of type "${type}"`);
        return [];
    }
  };
  const isWhole = (): boolean => "stopReason" in answer && "usage" in answer;

  return {
    isEnded: isWhole,
    isWhole,
    take(json) {
      const event = toObject(json);
      refuseErrorBody(event["error"], decoding);
      return Object.entries(event).flatMap(([type, fields]) => take(toPiece(type), toObject(fields)));
    },
    body: () => ({
      ...answer,
      output: { message: { role: "assistant", content: [...blocks.values()].flatMap((block) => block.body()) } },
    }),
  };
}
