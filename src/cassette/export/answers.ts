// What a list of messages cannot say of the answers in it, counted: tokens, money, stop reasons, the settings they were
// asked with.

import type { LlmMessage, LlmTurnResponse } from "../../core/index.js";
import type { CassetteV2 } from "../file/format.js";
import { comparableContexts } from "../offer/wire-fields.js";
import type { LossLog } from "./loss.js";
import type { Thread } from "./threads.js";

/** Counts what no format of messages holds. */
export function countAnswerLosses(cassette: CassetteV2, threads: readonly Thread[], losses: LossLog): void {
  for (const { turns, rewritten } of threads) {
    losses.add("answer-rewritten", rewritten);
    for (const { response } of turns) {
      const asksTools = (response.message.toolCalls ?? []).length > 0;
      if (response.stopReason !== (asksTools ? "toolUse" : "stop")) losses.add("stop-reason");
      if (response.usage !== undefined) losses.add("usage");
      countResponseLosses(response, losses);
    }
  }
  const contexts = comparableContexts(cassette.extensions?.contexts ?? []);
  losses.add("settings", contexts.filter(({ settings = {} }) => Object.keys(settings).length > 0).length);
}

/** What no format at all holds of an answer. */
export function countResponseLosses({ message, finalAnswer, costUsd }: LlmTurnResponse, losses: LossLog): void {
  const expected = (message.toolCalls ?? []).length > 0 ? undefined : message.content;
  if (finalAnswer !== undefined && finalAnswer !== expected) losses.add("final-answer");
  if (costUsd !== undefined) losses.add("cost");
}

/** What no format at all holds of a cassette. */
export function countCassetteLosses({ extensions = {} }: CassetteV2, losses: LossLog): void {
  const { streams, import: imported } = extensions;
  if (Array.isArray(streams)) losses.add("stream", streams.length);
  const trailing: unknown = (imported as { trailing?: unknown } | undefined)?.trailing;
  if (Array.isArray(trailing)) losses.add("trailing", trailing.length);
}

/** Tool results whose name does not follow from the call they answer, for a format whose results have no name. */
export function countResultNames(messages: readonly LlmMessage[], losses: LossLog): void {
  const names = new Map<string, string>();
  for (const message of messages) {
    if (message.role === "assistant") for (const { id, name } of message.toolCalls ?? []) names.set(id, name);
    if (message.role === "tool" && names.get(message.toolCallId) !== message.name) losses.add("tool-name");
  }
}
