// A thread as a trace in OTLP/JSON (`ExportTraceServiceRequest`): one `invoke_agent` span with a `chat` span for each turn and an
// `execute_tool` span for each tool result. Specification: OpenTelemetry semantic conventions for generative AI (development
// status). A cassette has no durations: every turn and every tool gets one millisecond, from `recordedAt` on, so that a viewer
// shows their order. Ids come from the cassette's id.

import type { JsonObject, LlmMessage } from "../../core/index.js";
import { CREATED_WITH } from "../file/build.js";
import type { CassetteV2, ContextExtension } from "../file/format.js";
import { countResponseLosses, countResultNames } from "./answers.js";
import { contextOf, recordedModel, toolsOf } from "./head.js";
import { isEmptyWire } from "../offer/wire-fields.js";
import type { LossLog } from "./loss.js";
import { countThoughtLosses, FINISH_REASONS, splitPrompt, toOtlpAnswer, toOtlpMessage } from "./otlp-message.js";
import { toAttributes, toSpan, toSpanId, toTraceId, type Attributes, type SpanShape } from "./otlp-span.js";
import type { Thread, ThreadTurn } from "./threads.js";

const STEP_NS = 1_000_000n;

/** A span without its place in a trace. */
type NewSpan = Pick<SpanShape, "name" | "kind" | "attributes" | "isError">;

/** One trace for each thread, each a document of its own. */
export function toOtlp(cassette: CassetteV2, threads: readonly Thread[], losses: LossLog): JsonObject[] {
  losses.add("prompt", cassette.entries.filter(({ prompt }) => prompt === undefined).length);
  let startNs = startOf(cassette);
  return threads.map((thread, number) => {
    countThreadLosses(thread, losses);
    const { spans, endNs } = toTrace(cassette, thread, number, startNs, losses);
    startNs = endNs;
    return toDocument(spans);
  });
}

/** Nanoseconds since 1970; 0, which OTLP reads as unknown, for a date that cannot be parsed. */
function startOf({ recordedAt }: CassetteV2): bigint {
  const ms = Date.parse(recordedAt);
  return Number.isNaN(ms) || ms < 0 ? 0n : BigInt(ms) * 1_000_000n;
}

function toDocument(spans: readonly SpanShape[]): JsonObject {
  const [name = "", version = ""] = CREATED_WITH.split("/");
  const resource = { attributes: toAttributes({ "service.name": name }) };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name, version }, spans: spans.map(toSpan) }] }] };
}

function toTrace(cassette: CassetteV2, thread: Thread, number: number, startNs: bigint, losses: LossLog) {
  const { cassetteId } = cassette;
  const traceId = toTraceId({ cassetteId, thread: number });
  const rootId = toSpanId({ cassetteId, thread: number });
  const conversation = thread.turns.length === cassette.entries.length ? cassetteId : `${cassetteId}-${number}`;
  const children: SpanShape[] = [];
  let now = startNs;
  const add = (span: NewSpan, id: JsonObject): void => {
    const spanId = toSpanId({ cassetteId, thread: number, ...id });
    children.push({ ...span, traceId, spanId, parentSpanId: rootId, startNs: now, endNs: (now += STEP_NS) });
  };
  for (const [index, turn] of thread.turns.entries()) {
    const { turnIndex, promptLength, response } = turn;
    const chat = chatAttributes(cassette, turn, thread.messages.slice(0, promptLength), losses);
    const attributes = { ...chat, "gen_ai.conversation.id": conversation };
    const name = nameWith("chat", recordedModel(cassette).model ?? response.model);
    add({ name, kind: "client", attributes }, { turn: turnIndex });
    for (const [result, span] of toolSpans(thread, index).entries()) add(span, { turn: turnIndex, result });
  }
  const root: SpanShape = {
    ...{ traceId, spanId: rootId, kind: "internal", startNs, endNs: now },
    name: nameWith("invoke_agent", cassette.agentId),
    attributes: {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.provider.name": recordedModel(cassette).provider ?? "unknown",
      "gen_ai.agent.name": cassette.agentId,
      "gen_ai.conversation.id": conversation,
    },
  };
  return { spans: [root, ...children], endNs: now };
}

function nameWith(operation: string, name: string | undefined): string {
  return name === undefined || name === "" ? operation : `${operation} ${name}`;
}

function chatAttributes(
  cassette: CassetteV2,
  { turnIndex, response }: ThreadTurn,
  prompt: readonly LlmMessage[],
  losses: LossLog,
): Attributes {
  const { provider, model } = recordedModel(cassette);
  const { system, input } = splitPrompt(prompt);
  const { usage, stopReason } = response;
  const context = contextOf(cassette, turnIndex);
  const tools = toolsOf(context, losses)?.map((tool) => {
    const { name, description, schema: parameters } = tool;
    return { type: "function", name, description, parameters };
  });
  return {
    "gen_ai.operation.name": "chat",
    "gen_ai.provider.name": provider ?? "unknown",
    "gen_ai.request.model": model,
    ...settingAttributes(context, losses),
    "gen_ai.response.model": response.model,
    "gen_ai.response.finish_reasons": [FINISH_REASONS[stopReason]],
    "gen_ai.usage.input_tokens": usage?.inputTokens,
    "gen_ai.usage.output_tokens": usage?.outputTokens,
    "gen_ai.usage.cache_read.input_tokens": usage?.cacheReadTokens,
    "gen_ai.usage.cache_creation.input_tokens": usage?.cacheWriteTokens,
    "gen_ai.usage.reasoning.output_tokens": usage?.reasoningTokens,
    "gen_ai.system_instructions": system.length === 0 ? undefined : JSON.stringify(system),
    "gen_ai.tool.definitions": tools === undefined || tools.length === 0 ? undefined : JSON.stringify(tools),
    "gen_ai.input.messages": prompt.length === 0 ? undefined : JSON.stringify(input.map(toOtlpMessage)),
    "gen_ai.output.messages": JSON.stringify([toOtlpAnswer(response)]),
  };
}

/** The settings that the conventions name. The others are counted. */
function settingAttributes(context: ContextExtension | undefined, losses: LossLog): Attributes {
  const { temperature, topP, maxTokens, seed, stop, ...others } = context?.settings ?? {};
  losses.add("settings", Object.entries(others).filter(([name, value]) => !isEmptyWire(name, value)).length);
  const toNumber = (value: unknown): number | undefined => (typeof value === "number" ? value : undefined);
  return {
    "gen_ai.request.temperature": toNumber(temperature),
    "gen_ai.request.top_p": toNumber(topP),
    "gen_ai.request.max_tokens": toNumber(maxTokens),
    "gen_ai.request.seed": toNumber(seed),
    "gen_ai.request.stop_sequences": Array.isArray(stop) ? stop.filter((text) => typeof text === "string") : undefined,
  };
}

/** The tool results between a turn's answer and the next turn. */
function toolSpans({ messages, turns }: Thread, index: number): NewSpan[] {
  const turn = turns[index] as ThreadTurn;
  const next = turns[index + 1];
  const calls = new Map((turn.response.message.toolCalls ?? []).map((call) => [call.id, call]));
  const after = next === undefined ? [] : messages.slice(turn.promptLength + 1, next.promptLength);
  const results = after.filter((message) => message.role === "tool");
  return results.map(({ toolCallId, name, content, isError }) => {
    const call = calls.get(toolCallId);
    return {
      name: nameWith("execute_tool", name),
      kind: "internal",
      isError: isError === true,
      attributes: {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": name,
        "gen_ai.tool.type": "function",
        "gen_ai.tool.call.id": toolCallId,
        "gen_ai.tool.call.arguments":
          call === undefined ? undefined : (call.malformedArguments ?? JSON.stringify(call.arguments)),
        "gen_ai.tool.call.result": content,
        "error.type": isError === true ? "tool_error" : undefined,
      },
    };
  });
}

/** The span of a tool shows its error, but results in the first prompt have no span. */
function countThreadLosses({ messages, turns }: Thread, losses: LossLog): void {
  const before = messages.slice(0, turns[0]?.promptLength);
  losses.add("tool-error", before.filter((message) => message.role === "tool" && message.isError === true).length);
  countResultNames(messages, losses);
  for (const message of messages) if (message.role === "assistant") countThoughtLosses(message, losses);
  for (const { response } of turns) countResponseLosses(response, losses);
}
