// A streamed answer of ours as parts of the SDK. A live model of the SDK keeps its own parts. An answer known in advance, as in a
// replay, has the parts of its layout. Any other provider gets one block of text and one of reasoning.

import { answerAhead, defined, type LlmStreamEvent, type LlmTurnResponse } from "../../../../core/index.js";
import type { Loose } from "../../loose.js";
import { createBlocks } from "./blocks.js";
import { createLayout, type Player } from "./layout.js";
import { writeHead } from "../result.js";
import type { SpecVersion, StreamPart } from "../sdk-types.js";

/** The parts that a live model of the SDK sent for an event. */
export const liveParts = new WeakMap<LlmStreamEvent, readonly Loose[]>();

/** The parts of `events`. The response, which is the last event, becomes the `finish` part. */
export async function* playParts(
  events: AsyncIterable<LlmStreamEvent>,
  version: SpecVersion,
): AsyncGenerator<StreamPart, void, undefined> {
  let player: Player | undefined;
  for await (const event of events) {
    const live = liveParts.get(event);
    if (live !== undefined) yield* live.filter(isKept) as unknown as StreamPart[];
    else {
      if (player === undefined) {
        const response = answerAhead(event);
        yield* startParts(response, version);
        player = response === undefined ? createBlocks(version) : createLayout(response, version);
      }
      const parts = event.type === "response" ? player.finish(event.response) : player.take(event);
      yield* parts as unknown as StreamPart[];
    }
    if (event.type === "response") yield finishPart(event.response, version);
  }
}

/** Raw chunks are never recorded, and the `finish` part is written from the response in every version. */
function isKept({ type }: Loose): boolean {
  return type !== "finish" && type !== "raw";
}

function startParts(response: LlmTurnResponse | undefined, version: SpecVersion): StreamPart[] {
  if (response === undefined) return [{ type: "stream-start", warnings: [] }];
  const { warnings, response: metadata = {} } = writeHead(response, version);
  const head: StreamPart[] = Object.keys(metadata).length === 0 ? [] : [{ type: "response-metadata", ...metadata }];
  return [{ type: "stream-start", warnings }, ...head];
}

function finishPart(response: LlmTurnResponse, version: SpecVersion): StreamPart {
  const { usage, finishReason, providerMetadata } = writeHead(response, version);
  return { type: "finish", usage, finishReason, ...defined({ providerMetadata }) };
}
