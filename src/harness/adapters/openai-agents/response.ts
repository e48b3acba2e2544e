// An answer of a model of the SDK as a turn response, and back. Data of the transport (the request's id, the raw answer and usage) is
// dropped, because it differs from call to call. Only the model's name is kept.

import {
  canonicalize,
  defined,
  type JsonObject,
  type LlmTurnResponse,
  type StopReason,
  type Usage,
} from "../../../core/index.js";
import { objectIn, optional, toJson, toLoose, asText, type Loose } from "../loose.js";
import { readAssistant, writeAssistant } from "./assistant.js";
import { extrasOf, withExtras } from "./extras.js";
import type { AgentsResponse, AgentsStreamEvent, AgentsUsage, Counts, OutputItem, TokenCounts } from "./sdk-types.js";

/** `id` is the `responseId` of a whole answer, and the `id` of a streamed one. `named` is the model, if the answer does not name it. */
export function readResponse({ output, usage, id, providerData }: Loose, named = ""): LlmTurnResponse {
  const items = Array.isArray(output) ? output.map(toLoose) : [];
  const message = readAssistant(items);
  const hasCalls = message.toolCalls !== undefined;
  const counted = readUsage(toLoose(usage));
  const exact = exactUsage(toLoose(usage), counted);
  const model = asText(toLoose(providerData)["model"]) || named;
  return withExtras<LlmTurnResponse>(
    {
      message,
      ...(hasCalls ? {} : { finalAnswer: message.content }),
      stopReason: readStop(items, hasCalls),
      ...defined({ usage: counted }),
      ...(model === "" ? {} : { model }),
    },
    { ...(asText(id) === "" ? {} : optional({ id })), ...optional({ usage: exact }) },
  );
}

/** The runner's own counts, if ours do not lead back to them: several requests, audio tokens, or a larger total. */
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

/** One record or several, without the empty ones. */
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

/** Reads the usage. All zeros mean that the model does not count tokens. */
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

/** The last event of a stream. Its id is empty if the vendor gave none. */
export function writeDone(response: LlmTurnResponse): AgentsStreamEvent {
  return {
    type: "response_done",
    response: {
      id: asText(extrasOf(response)["id"]),
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
  const input = defined({ cached_tokens: usage?.cacheReadTokens, cache_write_tokens: usage?.cacheWriteTokens });
  const output = defined({ reasoning_tokens: usage?.reasoningTokens });
  return {
    requests: 1,
    inputTokens,
    outputTokens,
    totalTokens: inputTokens + outputTokens,
    inputTokensDetails: Object.keys(input).length === 0 ? [] : [input],
    outputTokensDetails: Object.keys(output).length === 0 ? [] : [output],
  };
}

function add(this: AgentsUsage, other: TokenCounts): void {
  this.requests += other.requests;
  this.inputTokens += other.inputTokens;
  this.outputTokens += other.outputTokens;
  this.totalTokens += other.totalTokens;
}
