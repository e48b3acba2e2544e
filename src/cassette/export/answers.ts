// Counts what a list of messages cannot hold of its answers: tokens, cost, stop reasons, settings.

import type { LlmMessage, LlmTurnResponse } from "../../core/index.js";
import type { CassetteV2 } from "../file/format.js";
import { comparableContexts } from "../offer/wire-fields.js";
import type { LossLog } from "./loss.js";
import type { Thread } from "./threads.js";

/** Counts the losses of every format of messages. */
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

/** Counts the losses of every format in an answer. */
export function countResponseLosses({ message, finalAnswer, costUsd }: LlmTurnResponse, losses: LossLog): void {
  const expected = (message.toolCalls ?? []).length > 0 ? undefined : message.content;
  if (finalAnswer !== undefined && finalAnswer !== expected) losses.add("final-answer");
  if (costUsd !== undefined) losses.add("cost");
}

/** Counts the losses of every format in a cassette. */
export function countCassetteLosses({ extensions = {} }: CassetteV2, losses: LossLog): void {
  const { streams, exchanges = [], import: imported } = extensions;
  losses.add("exchange", exchanges.length);
  if (Array.isArray(streams)) losses.add("stream", streams.length);
  const trailing: unknown = (imported as { trailing?: unknown } | undefined)?.trailing;
  if (Array.isArray(trailing)) losses.add("trailing", trailing.length);
}

/** Counts tool results whose name differs from their call, for a format whose results have no name. */
export function countResultNames(messages: readonly LlmMessage[], losses: LossLog): void {
  const names = new Map<string, string>();
  for (const message of messages) {
    if (message.role === "assistant") for (const { id, name } of message.toolCalls ?? []) names.set(id, name);
    if (message.role === "tool" && names.get(message.toolCallId) !== message.name) losses.add("tool-name");
  }
}
