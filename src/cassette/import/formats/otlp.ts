// Spans of OpenTelemetry as runs. Each call is read in the words it uses, those of the AI SDK, of OpenInference or of the GenAI
// conventions, whatever the encoding of the span.

import type { JsonObject, JsonValue } from "../../../core/index.js";
import type { RepairLog } from "../repair.js";
import { isAiSdk, isAiSdkCall, readAiSdk } from "../trace/ai-sdk.js";
import { isGenAi, readGenAi, type CallSpan } from "../trace/genai.js";
import type { LogCalls } from "../trace/model-calls.js";
import { isOpenInference, readOpenInference } from "../trace/openinference.js";
import { endedSpans, otlpSpans, type Span } from "../trace/span.js";
import { readRun, toRuns, type TraceNode } from "../trace/trace.js";
import type { TracedCall } from "../trace/traced-call.js";
import { toName, toObject } from "../foreign-json.js";

export function splitOtlp(requests: JsonValue): JsonObject[] {
  return toRuns(otlpSpans(requests as JsonValue[]).map(toNode), nameOf);
}

export function splitEndedSpans(list: JsonValue): JsonObject[] {
  return toRuns(endedSpans(list as JsonValue[]).map(toNode), nameOf);
}

export function readTrace(record: JsonObject, repairs: RepairLog): LogCalls {
  return readRun(record, repairs, readCall);
}

function readCall(payload: JsonObject, repairs: RepairLog): TracedCall {
  const span = payload as unknown as CallSpan;
  if (isAiSdkCall(span.attributes)) return readAiSdk(span, repairs);
  return isOpenInference(span.attributes) ? readOpenInference(span, repairs) : readGenAi(span, repairs);
}

function toNode({ spanId, attributes, events, isFailed, ...place }: Span): TraceNode {
  return {
    ...place,
    id: spanId,
    isCall: isCall(attributes),
    agent: agentOf(attributes, place.name),
    payload: { attributes, events, isFailed },
  };
}

function isCall(attributes: JsonObject): boolean {
  if (isAiSdk(attributes)) return isAiSdkCall(attributes);
  return isOpenInference(attributes) || (attributes["openinference.span.kind"] === undefined && isGenAi(attributes));
}

function agentOf(attributes: JsonObject, name: string): string | undefined {
  const named = toName(attributes["gen_ai.agent.name"] ?? attributes["agent.name"] ?? attributes["gen_ai.agent.id"]);
  return named ?? (attributes["openinference.span.kind"] === "AGENT" ? name : undefined);
}

function nameOf({ name, payload }: TraceNode): string {
  return toName(toObject(payload["attributes"])["ai.telemetry.functionId"]) ?? name;
}
