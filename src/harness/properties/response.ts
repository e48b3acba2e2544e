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

function findThoughtFault({ message }: LlmTurnResponse): string | undefined {
  const thoughts: unknown = message.reasoning;
  if (thoughts === undefined) return undefined;
  if (!Array.isArray(thoughts)) return "/message/reasoning is not a list";
  const odd = thoughts.findIndex((thought: Partial<Record<string, unknown>> | null) => {
    const field = thought?.["type"] === "text" ? "text" : thought?.["type"] === "redacted" ? "data" : undefined;
    return field === undefined || typeof thought?.[field] !== "string";
  });
  return odd === -1 ? undefined : `/message/reasoning/${odd} is neither a text nor redacted data`;
}

function findCallFault({ message, stopReason, finalAnswer }: LlmTurnResponse): string | undefined {
  const { toolCalls = [] } = message;
  for (const [index, call] of toolCalls.entries()) {
    const at = `/message/toolCalls/${index}`;
    if (toolCalls.findIndex(({ id }) => id === call.id) !== index) return `${at}/id is that of an earlier call`;
    if (call.malformedArguments === undefined) continue;
    if (typeof call.malformedArguments !== "string") return `${at}/malformedArguments is not a string`;
    if (Object.keys(call.arguments).length > 0) return `${at} has malformed arguments and others as well`;
  }
  if (toolCalls.length === 0) {
    return stopReason === "toolUse" ? "the stop reason is toolUse and there is no call" : undefined;
  }
  if (stopReason === "stop") return "the stop reason is stop and there are calls";
  return finalAnswer === undefined ? undefined : "there are calls and a final answer";
}

function findFigureFault({
  usage = { inputTokens: 0, outputTokens: 0 },
  costUsd,
}: LlmTurnResponse): string | undefined {
  const counts = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"] as const;
  const wrong = counts.find((name) => usage[name] !== undefined && !isCount(usage[name]));
  if (wrong !== undefined) return `/usage/${wrong} is ${String(usage[wrong])} and no count`;
  return costUsd === undefined || costUsd >= 0 ? undefined : `/costUsd is ${costUsd}, which is below 0`;
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}
