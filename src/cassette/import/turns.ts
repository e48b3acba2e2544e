// A run as turns that already have our shape, such as turns from recorded HTTP. A replay over the same wire must match them exactly, so
// they pass the same checks as in a recorder.

import type { LlmMessage, LlmSettings, LlmToolDefinition, LlmTurnResponse } from "../../core/index.js";
import type { RecordedExchange } from "../file/format.js";
import { createPromptTracker } from "../prompt/prompt-delta.js";
import { assertMessage, assertResponse, recordable } from "../record/recordable.js";
import { toContexts, type CallTurns } from "./trace/model-calls.js";
import type { LogFacts } from "./log-run.js";

export interface RecordedTurn {
  messages: LlmMessage[];
  tools: LlmToolDefinition[];
  settings: Omit<LlmSettings, "model">;
  response: LlmTurnResponse;
}

/** A run whose record is its turns, in the order of their requests. */
export interface LogTurns extends LogFacts {
  turns: RecordedTurn[];
  /** Requests that are not turns. */
  exchanges?: RecordedExchange[];
}

/** Builds the turns of a cassette. Throws `not-recordable` for what a cassette cannot hold. */
export function toRecordedTurns(turns: readonly RecordedTurn[]): CallTurns {
  const tracker = createPromptTracker(undefined, assertMessage);
  const built = recordable(() =>
    turns.map(({ messages, response }) => {
      assertResponse(response);
      const { keep, promptHash } = tracker.next(messages);
      return { promptHash, prompt: { keep, messages: tracker.since(keep) }, response };
    }),
  );
  return { turns: built, contexts: toContexts(turns), trailing: [] };
}
