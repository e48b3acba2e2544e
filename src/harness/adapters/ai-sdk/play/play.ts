// A streamed answer of ours as parts of the SDK. Where the whole answer is known ahead, as in a replay, the parts come in the order
// of its layout; from a live model of the SDK they are its own; from any other provider there is one block of text and one of
// thoughts.

import { answerAhead, defined, type LlmStreamEvent, type LlmTurnResponse } from "../../../../core/index.js";
import type { Loose } from "../../loose.js";
import { createBlocks } from "./blocks.js";
import { createLayout, type Player } from "./layout.js";
import { writeHead } from "../result.js";
import type { SpecVersion, StreamPart } from "../spec.js";

/** The parts that a live model of the SDK sent for an event; see `fromAiSdk`. */
export const liveParts = new WeakMap<LlmStreamEvent, readonly Loose[]>();

/** `events` end with the response, which becomes the `finish` part. */
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

/** The vendor's own chunks are in no recording, and the end is written from the response, whatever the versions. */
function isKept({ type }: Loose): boolean {
  return type !== "finish" && type !== "raw";
}

function startParts(response: LlmTurnResponse | undefined, version: SpecVersion): StreamPart[] {
  if (response === undefined) return [{ type: "stream-start", warnings: [] }];
  const { warnings, response: metadata = {} } = writeHead(response, version);
  const told: StreamPart[] = Object.keys(metadata).length === 0 ? [] : [{ type: "response-metadata", ...metadata }];
  return [{ type: "stream-start", warnings }, ...told];
}

function finishPart(response: LlmTurnResponse, version: SpecVersion): StreamPart {
  const { usage, finishReason, providerMetadata } = writeHead(response, version);
  return { type: "finish", usage, finishReason, ...defined({ providerMetadata }) };
}
