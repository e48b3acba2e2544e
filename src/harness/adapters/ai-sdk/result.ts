// An answer of the SDK as a turn response, and back. What the transport said (headers, bodies, the vendor's raw usage) is not
// kept: no two calls have it in common.

import type { JsonObject, LlmTurnResponse, StopReason, Usage } from "../../../core/index.js";
import { type Loose, objectIn, optional, toLoose, toText } from "../loose.js";
import { readAssistant, writeAssistant } from "./assistant.js";
import { extrasOf, withExtras } from "./extras.js";
import type { FinishReason, GenerateResult, ResultHead, SpecVersion, TokenUsage } from "./spec.js";

export function readResult(result: Loose): LlmTurnResponse {
  const content = Array.isArray(result["content"]) ? result["content"].map(toLoose) : [];
  const message = readAssistant(content);
  const hasCalls = message.toolCalls !== undefined;
  const { id, timestamp, modelId } = toLoose(result["response"]);
  const { finish, stopReason, rawFinish } = readFinish(result["finishReason"], hasCalls);
  const usage = readUsage(toLoose(result["usage"]));
  const warnings = Array.isArray(result["warnings"]) && result["warnings"].length > 0 ? result["warnings"] : undefined;
  const metadata = toLoose(result["providerMetadata"]);
  const model = toText(modelId);
  return withExtras<LlmTurnResponse>(
    {
      message,
      ...(hasCalls ? {} : { finalAnswer: message.content }),
      stopReason,
      ...(usage === undefined ? {} : { usage }),
      ...(model === "" ? {} : { model }),
    },
    {
      ...optional("id", id),
      ...optional("timestamp", timestamp),
      ...optional("finish", finish),
      ...optional("rawFinish", rawFinish),
      ...optional("warnings", warnings),
      ...(Object.keys(metadata).length === 0 ? {} : optional("metadata", metadata)),
      ...optional("structuredOutputText", result["structuredOutputText"]),
    },
  );
}

const STOP_REASONS: Readonly<Record<string, StopReason>> = {
  stop: "stop",
  length: "length",
  "content-filter": "contentFilter",
  "tool-calls": "toolUse",
  error: "error",
};
const FINISH_REASONS: Readonly<Record<StopReason, FinishReason["unified"]>> = {
  stop: "stop",
  length: "length",
  contentFilter: "content-filter",
  toolUse: "tool-calls",
  error: "error",
};

/** `finish` is the SDK's word where ours does not lead back to it. */
function readFinish(reason: unknown, hasCalls: boolean) {
  const { unified, raw } = typeof reason === "string" ? { unified: reason, raw: undefined } : toLoose(reason);
  const word = toText(unified) || "other";
  const own = Object.hasOwn(STOP_REASONS, word) ? STOP_REASONS[word] : undefined;
  const settled = (own ?? "stop") === "stop" && hasCalls ? "toolUse" : own === "toolUse" && !hasCalls ? "stop" : own;
  const stopReason = settled ?? "stop";
  return { stopReason, finish: FINISH_REASONS[stopReason] === word ? undefined : word, rawFinish: raw };
}

function readUsage({ inputTokens, outputTokens, ...flat }: Loose): Usage | undefined {
  const input = typeof inputTokens === "object" ? toLoose(inputTokens) : {};
  const output = typeof outputTokens === "object" ? toLoose(outputTokens) : {};
  const count = (value: unknown): number | undefined =>
    typeof value === "number" && Number.isFinite(value) ? value : undefined;
  const read = count(input["cacheRead"] ?? flat["cachedInputTokens"]);
  const written = count(input["cacheWrite"]);
  const reasoning = count(output["reasoning"] ?? flat["reasoningTokens"]);
  const asked = count(inputTokens) ?? count(input["total"]) ?? sum([input["noCache"], read, written].map(count));
  const said = count(outputTokens) ?? count(output["total"]) ?? sum([output["text"], reasoning].map(count));
  if (asked === undefined && said === undefined) return undefined;
  return {
    inputTokens: asked ?? 0,
    outputTokens: said ?? 0,
    ...(read === undefined ? {} : { cacheReadTokens: read }),
    ...(written === undefined ? {} : { cacheWriteTokens: written }),
    ...(reasoning === undefined ? {} : { reasoningTokens: reasoning }),
  };
}

function sum(counts: readonly (number | undefined)[]): number | undefined {
  const known = counts.filter((count) => count !== undefined);
  return known.length === 0 ? undefined : known.reduce((total, count) => total + count, 0);
}

/** The whole answer for a model of this version. */
export function writeResult(response: LlmTurnResponse, version: SpecVersion): GenerateResult {
  const content = writeAssistant(response.message, "answer", version) as unknown as GenerateResult["content"];
  const { structuredOutputText } = extrasOf(response);
  const structured = typeof structuredOutputText === "string" ? { structuredOutputText } : {};
  return { content, ...structured, ...writeHead(response, version) };
}

export function writeHead(response: LlmTurnResponse, version: SpecVersion): ResultHead {
  const { finish, rawFinish, warnings } = extrasOf(response);
  const metadata = objectIn(extrasOf(response), "metadata");
  const { stopReason, usage, model } = response;
  const { id, timestamp } = extrasOf(response);
  const unified = (typeof finish === "string" ? finish : FINISH_REASONS[stopReason]) as FinishReason["unified"];
  return {
    finishReason: version === "v2" ? (unified as unknown as FinishReason) : { unified, raw: rawText(rawFinish) },
    usage: version === "v2" ? (flatUsage(usage) as unknown as TokenUsage) : nestedUsage(usage),
    warnings: (Array.isArray(warnings) ? warnings : []) as ResultHead["warnings"],
    ...(metadata === undefined ? {} : { providerMetadata: metadata as Record<string, JsonObject> }),
    response: {
      ...(typeof id === "string" ? { id } : {}),
      ...(typeof timestamp === "string" ? { timestamp: new Date(timestamp) } : {}),
      ...(model === undefined ? {} : { modelId: model }),
    },
  };
}

function rawText(raw: unknown): string | undefined {
  return typeof raw === "string" ? raw : undefined;
}

function nestedUsage(usage: Usage | undefined): TokenUsage {
  const { inputTokens, outputTokens, cacheReadTokens, cacheWriteTokens, reasoningTokens } =
    usage ?? ({} as Partial<Usage>);
  const cached = (cacheReadTokens ?? 0) + (cacheWriteTokens ?? 0);
  return {
    inputTokens: {
      total: inputTokens,
      noCache: inputTokens === undefined ? undefined : inputTokens - cached,
      cacheRead: cacheReadTokens,
      cacheWrite: cacheWriteTokens,
    },
    outputTokens: {
      total: outputTokens,
      text: outputTokens === undefined ? undefined : outputTokens - (reasoningTokens ?? 0),
      reasoning: reasoningTokens,
    },
  };
}

/** As version 2 has it, which knows no writes to a cache. */
function flatUsage(usage: Usage | undefined): Record<string, number | undefined> {
  const { inputTokens, outputTokens, cacheReadTokens, reasoningTokens } = usage ?? ({} as Partial<Usage>);
  const totalTokens = usage === undefined ? undefined : usage.inputTokens + usage.outputTokens;
  return {
    inputTokens,
    outputTokens,
    totalTokens,
    ...(cacheReadTokens === undefined ? {} : { cachedInputTokens: cacheReadTokens }),
    ...(reasoningTokens === undefined ? {} : { reasoningTokens }),
  };
}
