// An answer of the SDK as a turn response, and back. What the transport said (headers, bodies, the vendor's raw usage) is not
// kept: no two calls have it in common.

import { defined } from "../../../core/index.js";
import type { JsonObject, LlmTurnResponse, StopReason } from "../../../core/index.js";
import { type Loose, objectIn, optional, toLoose, toText } from "../loose.js";
import { readAssistant, writeAssistant } from "./assistant.js";
import { extrasOf, withExtras } from "./extras.js";
import type { FinishReason, GenerateResult, ResultHead, SpecVersion } from "./spec.js";
import { readUsage, writeUsage } from "./usage.js";

export function readResult(result: Loose): LlmTurnResponse {
  const content = Array.isArray(result["content"]) ? result["content"].map(toLoose) : [];
  const message = readAssistant(content);
  const hasCalls = message.toolCalls !== undefined;
  const { id, timestamp, modelId } = toLoose(result["response"]);
  const { finish, stopReason, rawFinish } = readFinish(result["finishReason"], hasCalls);
  const { usage, exact } = readUsage(toLoose(result["usage"]));
  const warnings = Array.isArray(result["warnings"]) && result["warnings"].length > 0 ? result["warnings"] : undefined;
  const metadata = toLoose(result["providerMetadata"]);
  const model = toText(modelId);
  return withExtras<LlmTurnResponse>(
    {
      message,
      ...(hasCalls ? {} : { finalAnswer: message.content }),
      stopReason,
      ...defined({ usage }),
      ...(model === "" ? {} : { model }),
    },
    {
      ...optional("id", id),
      ...optional("timestamp", timestamp),
      ...optional("finish", finish),
      ...optional("rawFinish", rawFinish),
      ...optional("usage", exact),
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
  const word = typeof finish === "string" ? finish : FINISH_REASONS[stopReason];
  // What version 2 calls unknown, later ones call other.
  const unified = (version !== "v2" && word === "unknown" ? "other" : word) as FinishReason["unified"];
  return {
    finishReason: version === "v2" ? (unified as unknown as FinishReason) : { unified, raw: rawText(rawFinish) },
    usage: writeUsage(usage, objectIn(extrasOf(response), "usage"), version),
    warnings: (Array.isArray(warnings) ? warnings : []) as ResultHead["warnings"],
    ...(metadata === undefined ? {} : { providerMetadata: metadata as Record<string, JsonObject> }),
    response: {
      ...(typeof id === "string" ? { id } : {}),
      ...(typeof timestamp === "string" ? { timestamp: new Date(timestamp) } : {}),
      ...defined({ modelId: model }),
    },
  };
}

function rawText(raw: unknown): string | undefined {
  return typeof raw === "string" ? raw : undefined;
}
