// The tool calls of a recording as one flat list, each with its key.

import { canonicalize, type JsonObject, type LlmToolCall } from "../../../core/index.js";
import type { Cassette } from "../../file/format.js";

/** A tool call of a recording. Two calls with the same `key` (see {@link callKey}) are the same call. */
export interface RecordedCall {
  turn: number;
  name: string;
  arguments: JsonObject;
  /** The model's text, when it was not one JSON object. */
  malformedArguments?: string;
  id: string;
  key: string;
}

export function callsOf(cassette: Cassette): RecordedCall[] {
  return cassette.entries.flatMap((entry) =>
    (entry.response.message.toolCalls ?? []).map((call) => ({ turn: entry.turnIndex, ...call, key: callKey(call) })),
  );
}

/** `name(canonicalArguments)`, a call without its id. Malformed arguments stand there as a JSON string, which no object equals. */
export function callKey(call: Pick<LlmToolCall, "name" | "arguments" | "malformedArguments">): string {
  return `${call.name}(${canonicalize(call.malformedArguments ?? call.arguments)})`;
}
