// An answer of a model of the SDK as a turn response, and back. What the transport said (the request's id, the vendor's raw answer
// and usage) is not kept: no two calls have it in common.

import {
  canonicalize,
  defined,
  type JsonObject,
  type LlmTurnResponse,
  type StopReason,
  type Usage,
} from "../../../core/index.js";
import { objectIn, optional, toJson, toLoose, toText, type Loose } from "../loose.js";
import { readAssistant, writeAssistant } from "./assistant.js";
import { extrasOf, withExtras } from "./extras.js";
import type { AgentsResponse, AgentsStreamEvent, AgentsUsage, OutputItem } from "./spec.js";

/** `id` is `responseId` of a whole answer, and `id` of a streamed one. */
export function readResponse({ output, usage, id }: Loose): LlmTurnResponse {
  const items = Array.isArray(output) ? output.map(toLoose) : [];
  const message = readAssistant(items);
  const hasCalls = message.toolCalls !== undefined;
  const counted = readUsage(toLoose(usage));
  const exact = exactUsage(toLoose(usage), counted);
  return withExtras<LlmTurnResponse>(
    {
      message,
      ...(hasCalls ? {} : { finalAnswer: message.content }),
      stopReason: readStop(items, hasCalls),
      ...defined({ usage: counted }),
    },
    { ...(toText(id) === "" ? {} : optional("id", id)), ...optional("usage", exact) },
  );
}

type Counts = Omit<AgentsUsage, "add" | "requestUsageEntries">;

/** The runner's own counts, where ours do not lead back to them: several requests, tokens of sound, a total with more in it. */
function exactUsage(said: Loose, usage: Usage | undefined): JsonObject | undefined {
  if (usage === undefined) return undefined;
  const { requests, inputTokens, outputTokens, totalTokens, inputTokensDetails, outputTokensDetails } = said;
  const again = countUsage(usage);
  const exact = {
    requests: typeof requests === "number" ? requests : 1,
    inputTokens,
    outputTokens,
    totalTokens: typeof totalTokens === "number" ? totalTokens : again.totalTokens,
    inputTokensDetails: detailsOf(inputTokensDetails),
    outputTokensDetails: detailsOf(outputTokensDetails),
  } as unknown as JsonObject;
  return canonicalize(exact) === canonicalize(again) ? undefined : exact;
}

/** One record or several, without those that say nothing. */
function detailsOf(details: unknown): JsonObject[] {
  const records = (Array.isArray(details) ? details : [details]).map((one) => toJson(toLoose(one)) as JsonObject);
  return records.filter((record) => Object.keys(record).length > 0);
}

function readStop(items: readonly Loose[], hasCalls: boolean): StopReason {
  const parts = items.flatMap(({ content }) => (Array.isArray(content) ? content.map(toLoose) : []));
  if (parts.some(({ type }) => type === "refusal")) return "contentFilter";
  if (items.some(({ status }) => status === "incomplete")) return "length";
  return hasCalls ? "toolUse" : "stop";
}

/** All zero is what a model says that counts nothing. */
function readUsage({ inputTokens, outputTokens, inputTokensDetails, outputTokensDetails }: Loose): Usage | undefined {
  if (typeof inputTokens !== "number" || typeof outputTokens !== "number") return undefined;
  if (inputTokens === 0 && outputTokens === 0) return undefined;
  const read = detail(inputTokensDetails, "cached_tokens");
  const written = detail(inputTokensDetails, "cache_write_tokens");
  const reasoning = detail(outputTokensDetails, "reasoning_tokens");
  return {
    inputTokens,
    outputTokens,
    ...defined({ cacheReadTokens: read, cacheWriteTokens: written, reasoningTokens: reasoning }),
  };
}

function detail(details: unknown, name: string): number | undefined {
  const records = (Array.isArray(details) ? details : [details]).map(toLoose);
  const counts = records.map((record) => record[name]).filter((count) => typeof count === "number");
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0);
}

export function writeResponse(response: LlmTurnResponse): AgentsResponse {
  const { id } = extrasOf(response);
  return {
    usage: { ...writeUsage(response), requestUsageEntries: undefined, add },
    output: writeAssistant(response.message) as unknown as OutputItem[],
    ...(typeof id === "string" ? { responseId: id } : {}),
  };
}

/** The last event of a stream; an answer whose vendor gave it no id has an empty one there. */
export function writeDone(response: LlmTurnResponse): AgentsStreamEvent {
  return {
    type: "response_done",
    response: {
      id: toText(extrasOf(response)["id"]),
      usage: writeUsage(response),
      output: writeAssistant(response.message) as unknown as OutputItem[],
    },
  };
}

function writeUsage(response: LlmTurnResponse): Counts {
  const exact = objectIn(extrasOf(response), "usage") as unknown as Counts | undefined;
  return exact ?? countUsage(response.usage);
}

function countUsage(usage: Usage | undefined): Counts {
  const { inputTokens = 0, outputTokens = 0 } = usage ?? {};
  const input = {
    ...(usage?.cacheReadTokens === undefined ? {} : { cached_tokens: usage.cacheReadTokens }),
    ...(usage?.cacheWriteTokens === undefined ? {} : { cache_write_tokens: usage.cacheWriteTokens }),
  };
  const output = usage?.reasoningTokens === undefined ? {} : { reasoning_tokens: usage.reasoningTokens };
  return {
    requests: 1,
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    inputTokensDetails: Object.keys(input).length === 0 ? [] : [input],
    outputTokensDetails: Object.keys(output).length === 0 ? [] : [output],
  };
}

function add(
  this: AgentsUsage,
  other: { requests: number; inputTokens: number; outputTokens: number; totalTokens: number },
): void {
  this.requests += other.requests;
  this.inputTokens += other.inputTokens;
  this.outputTokens += other.outputTokens;
  this.totalTokens += other.totalTokens;
}
