// Readers of a vendor's JSON. Each takes anything and returns a value of its type, or an empty one: vendors send null, leave keys out
// and swap types, and one odd field must not cost a whole answer.

import { defined } from "../defined.js";
import { findTooDeep } from "../canon/bounded-json.js";
import { findDroppedArgument } from "../canon/exact.js";
import { isPlainObject } from "../canon/value.js";
import { AgentError } from "../errors.js";
import { MAX_JSON_DEPTH } from "../limits.js";
import type { AssistantMessage, LlmToolCall, Reasoning } from "../model/message.js";
import type { LlmTurnResponse, StopReason } from "../model/provider.js";
import type { Usage } from "../model/usage.js";
import { judgeFault, readFault } from "./vendor-error.js";
import { quoteForeign } from "../text/mask.js";

export interface Decoding {
  providerName: string;
  /** Quotes a vendor's words in an error. */
  quote(text: string): string;
  /** Called with each kind of content that an `LlmTurnResponse` has no place for. */
  note(what: string): void;
}

/** The decoding of a body that did not come through one of our providers. */
export const plainDecoding: Decoding = { providerName: "the vendor", quote: quoteForeign, note: () => undefined };

export type WireObject = Readonly<Record<string, unknown>>;

export function toObject(value: unknown): WireObject {
  return isPlainObject(value) ? value : {};
}

export function toList(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** A string that can be recorded: a lone surrogate becomes U+FFFD. */
export function toText(value: unknown): string {
  return typeof value === "string" ? value.toWellFormed() : "";
}

const TOO_DEEP = "[nested too deep to be written out]";

/** The JSON text of a parsed value. The limit is ours: how deep JSON.stringify gets depends on the version of Node. */
export function toJsonText(value: unknown): string {
  try {
    const text = JSON.stringify(value) ?? "";
    return findTooDeep(text, MAX_JSON_DEPTH) === undefined ? text.toWellFormed() : TOO_DEEP;
  } catch {
    return TOO_DEEP;
  }
}

export function toCount(value: unknown): number | undefined {
  return Number.isSafeInteger(value) && (value as number) >= 0 ? (value as number) : undefined;
}

/** The usage of a vendor whose input count leaves out tokens read from or written to the cache. Ours counts all of them. */
export function toUncachedUsage(
  fresh: unknown,
  output: unknown,
  cached: { read: unknown; write: unknown; reasoning?: unknown },
): Usage | undefined {
  const [inputTokens, outputTokens] = [toCount(fresh), toCount(output)];
  if (inputTokens === undefined && outputTokens === undefined) return undefined;
  const cacheReadTokens = toCount(cached.read);
  const cacheWriteTokens = toCount(cached.write);
  return {
    // The sum of three counts may be too large for one.
    inputTokens: toCount((inputTokens ?? 0) + (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0)) ?? 0,
    outputTokens: outputTokens ?? 0,
    ...defined({ cacheReadTokens, cacheWriteTokens, reasoningTokens: toCount(cached.reasoning) }),
  };
}

export interface Answer {
  content: string;
  toolCalls: LlmToolCall[];
  reasoning: Reasoning[];
  stopReason: StopReason;
  isRefusal?: boolean;
  usage: Usage | undefined;
  /** In USD, if the vendor reports it. */
  costUsd?: number | undefined;
  model: string;
}

/** The response for the content of a body. Tool calls win over a stop reason that contradicts them. */
export function toResponse(answer: Answer): LlmTurnResponse {
  const { content, toolCalls, reasoning, usage, costUsd, model } = answer;
  const hasCalls = toolCalls.length > 0;
  const message: AssistantMessage = {
    role: "assistant",
    content,
    ...(hasCalls ? { toolCalls } : {}),
    ...(reasoning.length > 0 ? { reasoning } : {}),
  };
  return {
    message,
    ...(hasCalls ? {} : { finalAnswer: content }),
    stopReason: settleStop(answer.stopReason, hasCalls),
    ...(answer.isRefusal === true && !hasCalls ? { isRefusal: true } : {}),
    ...defined({ usage, costUsd }),
    ...(model === "" ? {} : { model }),
  };
}

/** The stop reason that a vendor's word stands for. A word that is not known is noted as a `what` and means "stop". */
export function toStopReason(
  word: string,
  known: Readonly<Record<string, StopReason>>,
  what: string,
  decoding: Decoding,
): StopReason {
  const stopReason = Object.hasOwn(known, word) ? known[word] : undefined;
  if (stopReason === undefined) decoding.note(`the ${what} "${word}"`);
  return stopReason ?? "stop";
}

/** The stop reason of an answer with or without calls, whatever its vendor's word says. */
export function settleStop(stopReason: StopReason, hasCalls: boolean): StopReason {
  if (hasCalls) return stopReason === "stop" ? "toolUse" : stopReason;
  return stopReason === "toolUse" ? "stop" : stopReason;
}

/** Throws if there is an `error`: a vendor, or a gateway before it, failed and still answered 200. */
export function refuseErrorBody(error: unknown, decoding: Decoding): void {
  const isError = typeof error === "string" ? error !== "" : Object.keys(toObject(error)).length > 0;
  if (!isError) return;
  const fault = readFault({ error }, (text) => decoding.quote(text));
  const name = fault.type ?? fault.code;
  const said = fault.message ?? toJsonText(error);
  const message = decoding.quote(name === undefined ? said : `${name}: ${said}`);
  throw new AgentError(
    "provider-response",
    `${decoding.providerName} answered with an error: ${message}`,
    judgeFault(fault),
  );
}

/** Throws for an answer whose calls hold a number or key that parsing drops: a tool must not run with another number. */
export function refuseDropped(text: string, decoding: Decoding): void {
  const dropped = findDroppedArgument(text);
  if (dropped === undefined) return;
  const message = `${decoding.providerName} called a tool with ${decoding.quote(dropped)}, which cannot be read without loss`;
  throw new AgentError("provider-response", message, {
    kind: "unknown",
    hint: "Change the tool to take numbers of more than 15 digits as strings.",
  });
}

/** Throws for a body that is neither an answer nor an error. */
export function refuseBody(what: string, decoding: Decoding): never {
  throw new AgentError("provider-response", `the answer of ${decoding.providerName} ${what}`, {
    kind: "unknown",
    hint: "Verify that baseURL speaks this vendor's wire format.",
  });
}
