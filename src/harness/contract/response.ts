// What a response must be beyond its shape: plain JSON, calls that can be told apart, a stop reason that fits them, and figures
// that are counts.

import { findResponseFlaw, toPointer, type LlmTurnResponse } from "../../core/index.js";
import { findImpurity } from "./serialise.js";

/** What is wrong, in words; undefined when it is a response that a run can go on from. */
export function findAnswerFault(value: unknown): string | undefined {
  const flaw = findResponseFlaw(value);
  if (flaw !== undefined) return `${flaw.pointer === "" ? "it" : flaw.pointer} is not ${flaw.expected}`;
  const loss = findImpurity(value);
  if (loss !== undefined) return loss;
  const response = value as LlmTurnResponse;
  return findCallFault(response) ?? findThoughtFault(response) ?? findFigureFault(response);
}

/** What is wrong beyond that with what a provider gives itself; undefined when nothing is. */
export function findContractFault(response: LlmTurnResponse): string | undefined {
  const { toolCalls = [] } = response.message;
  const unnamed = toolCalls.findIndex(({ id, name }) => id === "" || name === "");
  if (unnamed !== -1) return `/message/toolCalls/${unnamed} has no id or no name`;
  if (toolCalls.length === 0 && response.finalAnswer === undefined) return "there is no call and no final answer";
  const absent = findUndefined(response, "");
  return absent === undefined ? undefined : `${absent} is there and undefined, where a field is absent or has a value`;
}

function findUndefined(value: unknown, pointer: string): string | undefined {
  if (value === undefined) return pointer;
  if (typeof value !== "object" || value === null) return undefined;
  for (const [key, item] of Object.entries(value)) {
    const found = findUndefined(item, pointer + toPointer([key]));
    if (found !== undefined) return found;
  }
  return undefined;
}

/** What is wrong with the thoughts of an answer; undefined when nothing is, or there are none. */
export function findThoughtFault({ message }: LlmTurnResponse): string | undefined {
  const thoughts: unknown = message.reasoning;
  if (thoughts === undefined) return undefined;
  if (!Array.isArray(thoughts)) return "/message/reasoning is not a list";
  const odd = thoughts.findIndex((thought: unknown) => !isThought(thought));
  return odd === -1 ? undefined : `/message/reasoning/${odd} is neither a text nor redacted data`;
}

function isThought(thought: unknown): boolean {
  const { type, text, data, signature } = (thought ?? {}) as Partial<Record<string, unknown>>;
  if (type === "redacted") return typeof data === "string";
  return type === "text" && typeof text === "string" && (signature === undefined || typeof signature === "string");
}

function findCallFault(response: LlmTurnResponse): string | undefined {
  const { toolCalls = [] } = response.message;
  for (const [index, call] of toolCalls.entries()) {
    const at = `/message/toolCalls/${index}`;
    if (toolCalls.findIndex(({ id }) => id === call.id) !== index) return `${at}/id is that of an earlier call`;
    if (call.malformedArguments === undefined) continue;
    if (typeof call.malformedArguments !== "string") return `${at}/malformedArguments is not a string`;
    if (Object.keys(call.arguments).length > 0) return `${at} has malformed arguments and others as well`;
  }
  const fault = findStopFault(response);
  if (fault !== undefined || toolCalls.length === 0) return fault;
  return response.finalAnswer === undefined ? undefined : "there are calls and a final answer";
}

/** Whether the stop reason contradicts the calls. An answer that was cut off may have calls all the same. */
export function findStopFault({ message, stopReason }: LlmTurnResponse): string | undefined {
  const hasCalls = (message.toolCalls ?? []).length > 0;
  if (hasCalls) return stopReason === "stop" ? "the stop reason is stop and there are calls" : undefined;
  return stopReason === "toolUse" ? "the stop reason is toolUse and there is no call" : undefined;
}

/** What is wrong with the figures of an answer; undefined when they are counts and a price, or absent. */
export function findFigureFault({
  usage = { inputTokens: 0, outputTokens: 0 },
  costUsd,
}: Pick<LlmTurnResponse, "usage" | "costUsd">): string | undefined {
  const counts = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"] as const;
  const wrong = counts.find((name) => usage[name] !== undefined && !isCount(usage[name]));
  if (wrong !== undefined) return `/usage/${wrong} is ${String(usage[wrong])} and no count`;
  if (costUsd === undefined || (Number.isFinite(costUsd) && costUsd >= 0)) return undefined;
  return `/costUsd is ${costUsd}, which is ${costUsd < 0 ? "below 0" : "no price"}`;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
