// Faults of the model itself: invented answers, or damaged real ones. Callers get them as our decoders read them.

import { argumentsText, type LlmToolCall, type LlmTurnRequest, type LlmTurnResponse } from "../../core/index.js";

/** The name of a tool that is never offered. */
export const UNKNOWN_TOOL = "lookup_everything_v2";

/** Long enough for several pieces of a stream, with characters of several bytes that can be torn. */
const BEGINNING =
  "Let me think about this step by step – “slowly”. First I will look at what was asked, and then at what is there. 🧭";
const CUT_ARGUMENTS = '{"query": "what was ask';

/** An answer that will be torn: text, and a call if there is a tool to call. */
export function beginningOf(request: LlmTurnRequest): LlmTurnResponse {
  const name = request.tools?.[0]?.name;
  if (name === undefined) return withText(BEGINNING, "stop");
  return withCall({ id: "call_torn", name, arguments: { note: BEGINNING } }, BEGINNING);
}

export const refusal = () => withText("I'm sorry, but I can't help with that.", "contentFilter");

export const silence = () => withText("", "stop");

export const askingForUnknownTool = () =>
  withCall({ id: "call_unknown", name: UNKNOWN_TOOL, arguments: { query: "anything" } });

/** A call of the first tool with arguments that are not JSON. */
export function askingWithoutJson({ tools }: LlmTurnRequest): LlmTurnResponse {
  const name = tools?.[0]?.name ?? UNKNOWN_TOOL;
  return withCall({ id: "call_malformed", name, arguments: {}, malformedArguments: CUT_ARGUMENTS });
}

/** Every call twice, next to each other. Undefined for an answer without calls. */
export function withDoubledCalls(response: LlmTurnResponse, id: "same" | "new"): LlmTurnResponse | undefined {
  const { toolCalls = [] } = response.message;
  if (toolCalls.length === 0) return undefined;
  const doubled = toolCalls.flatMap((call) => [call, { ...call, id: id === "same" ? call.id : `${call.id}_again` }]);
  return { ...response, message: { ...response.message, toolCalls: doubled } };
}

/** The first half of the last call's arguments, or of the text. Undefined for an answer with neither. */
export function cutByLength(response: LlmTurnResponse): LlmTurnResponse | undefined {
  const { message, finalAnswer: _whole, ...rest } = response;
  const { toolCalls = [], content } = message;
  const last = toolCalls.at(-1);
  if (last !== undefined) {
    const cut: LlmToolCall = { ...last, arguments: {}, malformedArguments: half(argumentsText(last)) };
    return { ...rest, message: { ...message, toolCalls: [...toolCalls.slice(0, -1), cut] }, stopReason: "length" };
  }
  if (content === "") return undefined;
  const words = half(content);
  return { ...rest, message: { ...message, content: words }, finalAnswer: words, stopReason: "length" };
}

/** Neither empty nor a whole JSON object. */
function half(text: string): string {
  return text.slice(0, Math.max(1, Math.floor(text.length / 2))).toWellFormed();
}

function withText(content: string, stopReason: LlmTurnResponse["stopReason"]): LlmTurnResponse {
  return { message: { role: "assistant", content }, finalAnswer: content, stopReason };
}

function withCall(call: LlmToolCall, content = ""): LlmTurnResponse {
  return { message: { role: "assistant", content, toolCalls: [call] }, stopReason: "toolUse" };
}
