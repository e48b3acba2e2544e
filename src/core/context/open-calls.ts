// Calls that were left without a result. A conversation holds whole steps, since a vendor refuses an open call.

import { seal } from "../canon/copy.js";
import type { LlmMessage } from "../model/message.js";

/** Gives each call of the last answer without a result one: an error with this text. */
export function closeCalls(history: LlmMessage[], content: string): void {
  const at = history.findLastIndex(({ role }) => role === "assistant");
  const answer = history[at];
  if (answer?.role !== "assistant") return;
  const answered = history.slice(at + 1).filter(({ role }) => role === "tool").length;
  for (const { id, name } of (answer.toolCalls ?? []).slice(answered)) {
    history.push(seal({ role: "tool", toolCallId: id, name, content, isError: true }));
  }
}
