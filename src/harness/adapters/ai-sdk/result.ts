// An answer of the SDK as a turn response, and back. Data of the transport (headers, bodies, raw usage) is dropped: it differs from
// call to call.

import { defined, type JsonObject, type LlmTurnResponse, type StopReason } from "../../../core/index.js";
import { type Loose, objectIn, optional, toLoose, asText } from "../loose.js";
import { readAssistant, writeAssistant } from "./assistant.js";
import { extrasOf, withExtras } from "./extras.js";
import type { FinishReason, GenerateResult, ResultHead, SpecVersion } from "./sdk-types.js";
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
  const model = asText(modelId);
  return withExtras<LlmTurnResponse>(
    {
      message,
      ...(hasCalls ? {} : { finalAnswer: message.content }),
      stopReason,
      ...defined({ usage }),
      ...(model === "" ? {} : { model }),
    },
    {
      ...optional({ id, timestamp, finish, rawFinish, usage: exact, warnings }),
      ...(Object.keys(metadata).length === 0 ? {} : optional({ metadata })),
      ...optional({ structuredOutputText: result["structuredOutputText"] }),
    },
  );
}

const FINISH_REASONS: Readonly<Record<StopReason, FinishReason["unified"]>> = {
  stop: "stop",
  length: "length",
  contentFilter: "content-filter",
  toolUse: "tool-calls",
  error: "error",
};
const STOP_REASONS: ReadonlyMap<string, StopReason> = new Map(
  (Object.keys(FINISH_REASONS) as StopReason[]).map((reason) => [FINISH_REASONS[reason], reason]),
);

/** `finish` is the SDK's word, unless it follows from our stop reason. */
function readFinish(reason: unknown, hasCalls: boolean) {
  const { unified, raw } = typeof reason === "string" ? { unified: reason, raw: undefined } : toLoose(reason);
  const word = asText(unified) || "other";
  const own = STOP_REASONS.get(word) ?? "stop";
  const isByCalls = own === "stop" || own === "toolUse";
  const stopReason: StopReason = isByCalls ? (hasCalls ? "toolUse" : "stop") : own;
  return { stopReason, finish: FINISH_REASONS[stopReason] === word ? undefined : word, rawFinish: raw };
}

export function writeResult(response: LlmTurnResponse, version: SpecVersion): GenerateResult {
  const content = writeAssistant(response.message, "answer", version) as unknown as GenerateResult["content"];
  const { structuredOutputText } = extrasOf(response);
  const structured = typeof structuredOutputText === "string" ? { structuredOutputText } : {};
  return { content, ...structured, ...writeHead(response, version) };
}

export function writeHead(response: LlmTurnResponse, version: SpecVersion): ResultHead {
  const extras = extrasOf(response);
  const { finish, rawFinish, warnings, id, timestamp } = extras;
  const metadata = objectIn(extras, "metadata");
  const { stopReason, usage, model } = response;
  const word = typeof finish === "string" ? finish : FINISH_REASONS[stopReason];
  const raw = typeof rawFinish === "string" ? rawFinish : undefined;
  // Version 2 says `unknown` where later versions say `other`.
  const unified = (version !== "v2" && word === "unknown" ? "other" : word) as FinishReason["unified"];
  return {
    finishReason: version === "v2" ? (unified as unknown as FinishReason) : { unified, raw },
    usage: writeUsage(usage, objectIn(extras, "usage"), version),
    warnings: (Array.isArray(warnings) ? warnings : []) as ResultHead["warnings"],
    ...(metadata === undefined ? {} : { providerMetadata: metadata as Record<string, JsonObject> }),
    response: {
      ...(typeof id === "string" ? { id } : {}),
      ...(typeof timestamp === "string" ? { timestamp: new Date(timestamp) } : {}),
      ...defined({ modelId: model }),
    },
  };
}
