// Spans of OpenTelemetry as runs: each call is read in the words it is in, those of the AI SDK, of OpenInference or of the
// GenAI conventions, whatever the encoding of the span.

import { defined } from "../../../core/index.js";
import type { JsonObject, JsonValue } from "../../../core/index.js";
import { isAiSdk, isAiSdkCall, readAiSdk } from "../trace/ai-sdk.js";
import type { LogCalls } from "../trace/model-calls.js";
import { isGenAi, readGenAi, type CallSpan } from "../trace/genai.js";
import { isOpenInference, readOpenInference } from "../trace/openinference.js";
import type { RepairLog } from "../repair.js";
import { endedSpans, otlpSpans, type Span } from "../trace/span.js";
import { readRun, toRuns, type TraceNode } from "../trace/trace.js";
import type { TracedCall } from "../trace/traced-call.js";
import { isObject, toName } from "../value.js";

/** The runs of OTLP/JSON requests. */
export function splitOtlp(requests: JsonValue): JsonObject[] {
  return toRuns(otlpSpans(requests as JsonValue[]).map(toNode), nameOf);
}

/** The runs of ended spans. */
export function splitEndedSpans(list: JsonValue): JsonObject[] {
  return toRuns(endedSpans(list as JsonValue[]).map(toNode), nameOf);
}

/** Reads one run, as the two above give it. */
export function readTrace(record: JsonObject, repairs: RepairLog): LogCalls {
  return readRun(record, repairs, readCall);
}

function readCall(payload: JsonObject, repairs: RepairLog): TracedCall {
  const span = payload as unknown as CallSpan;
  if (isAiSdkCall(span.attributes)) return readAiSdk(span, repairs);
  return isOpenInference(span.attributes) ? readOpenInference(span, repairs) : readGenAi(span, repairs);
}

function toNode({ traceId, spanId, parentId, name, start, attributes, events, isFailed }: Span): TraceNode {
  const agent = agentOf(attributes, name);
  return {
    traceId,
    id: spanId,
    ...defined({ parentId }),
    name,
    start,
    isCall: isCall(attributes),
    ...defined({ agent }),
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
  const { attributes } = payload;
  return (isObject(attributes) ? toName(attributes["ai.telemetry.functionId"]) : undefined) ?? name;
}
