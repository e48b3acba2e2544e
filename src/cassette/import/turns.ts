// A run as turns that are in our own shape already, word for word and id for id: what recorded HTTP gives, which a replay over
// the same wire must meet exactly. They are checked as a recorder checks what it keeps.

import type { LlmMessage, LlmSettings, LlmToolDefinition, LlmTurnResponse } from "../../core/index.js";
import type { BuiltTurn } from "../file/build.js";
import { createPromptTracker } from "../prompt/prompt.js";
import { assertMessage, assertResponse, recordable } from "../record/recordable.js";
import { toContexts, type CallTurns } from "./trace/model-calls.js";
import type { LogFacts } from "./log.js";

/** One turn: its whole prompt, what was offered and asked beside it, and its answer. */
export interface RecordedTurn {
  messages: LlmMessage[];
  tools: LlmToolDefinition[];
  settings: Omit<LlmSettings, "model">;
  response: LlmTurnResponse;
}

/** A run whose record is its turns, in the order in which they were asked. */
export interface LogTurns extends LogFacts {
  turns: RecordedTurn[];
}

/** The turns as a cassette has them. Throws `not-recordable` for what it cannot hold. */
export function toRecordedTurns(turns: readonly RecordedTurn[]): CallTurns {
  const tracker = createPromptTracker(undefined, assertMessage);
  const built = recordable(() =>
    turns.map(({ messages, response }): BuiltTurn => {
      assertResponse(response);
      const { keep, promptHash } = tracker.next(messages);
      return { promptHash, prompt: { keep, messages: tracker.since(keep) }, response };
    }),
  );
  return { turns: built, contexts: toContexts(turns), trailing: [] };
}
