// What a model itself gets wrong, as a turn response: made up where the real model is not asked, or its real answer damaged. The
// response is then written on a vendor's wire and read back, so that a caller gets what our decoders make of it.

import { argumentsText, type LlmToolCall, type LlmTurnRequest, type LlmTurnResponse } from "../../core/index.js";

/** The name of a tool that nobody offers. */
export const UNKNOWN_TOOL = "lookup_everything_v2";

const REFUSAL = "I'm sorry, but I can't help with that.";
/** Long enough that a stream of it has several pieces, with characters of several bytes for it to be torn in. */
const BEGINNING =
  "Let me think about this step by step – “slowly”. First I will look at what was asked, and then at what is there. 🧭";
const CUT_ARGUMENTS = '{"query": "what was ask';

/** An answer of which only a part will come: words, and a call where there is a tool to call. */
export function beginningOf(request: LlmTurnRequest): LlmTurnResponse {
  const name = request.tools?.[0]?.name;
  const call = { id: "call_torn", name: name ?? "", arguments: { note: BEGINNING } };
  return name === undefined
    ? saying(BEGINNING, "stop")
    : { ...asking(call), message: { ...asking(call).message, content: BEGINNING } };
}

export function refusal(): LlmTurnResponse {
  return saying(REFUSAL, "contentFilter");
}

export function silence(): LlmTurnResponse {
  return saying("", "stop");
}

export function askingForUnknownTool(): LlmTurnResponse {
  return asking({ id: "call_unknown", name: UNKNOWN_TOOL, arguments: { query: "anything" } });
}

/** A call whose arguments are no JSON, of the first tool there is. */
export function askingWithoutJson({ tools }: LlmTurnRequest): LlmTurnResponse {
  const name = tools?.[0]?.name ?? UNKNOWN_TOOL;
  return asking({ id: "call_malformed", name, arguments: {}, malformedArguments: CUT_ARGUMENTS });
}

/** Every call twice, next to each other; undefined for an answer without calls. */
export function withDoubledCalls(response: LlmTurnResponse, id: "same" | "new"): LlmTurnResponse | undefined {
  const { toolCalls = [] } = response.message;
  if (toolCalls.length === 0) return undefined;
  const doubled = toolCalls.flatMap((call) => [call, { ...call, id: id === "same" ? call.id : `${call.id}_again` }]);
  return { ...response, message: { ...response.message, toolCalls: doubled } };
}

/** The first half of the last call's arguments, or of the words; undefined for an answer that has neither. */
export function cutByLength(response: LlmTurnResponse): LlmTurnResponse | undefined {
  const { message, finalAnswer: _whole, ...rest } = response;
  const { toolCalls = [], content } = message;
  const last = toolCalls.at(-1);
  if (last !== undefined) {
    const text = argumentsText(last);
    const cut: LlmToolCall = { ...last, arguments: {}, malformedArguments: half(text) };
    return { ...rest, message: { ...message, toolCalls: [...toolCalls.slice(0, -1), cut] }, stopReason: "length" };
  }
  if (content === "") return undefined;
  const words = half(content);
  return { ...rest, message: { ...message, content: words }, finalAnswer: words, stopReason: "length" };
}

/** Not empty, and no whole JSON object either. */
function half(text: string): string {
  return text.slice(0, Math.max(1, Math.floor(text.length / 2))).toWellFormed();
}

function saying(content: string, stopReason: LlmTurnResponse["stopReason"]): LlmTurnResponse {
  return { message: { role: "assistant", content }, finalAnswer: content, stopReason };
}

function asking(call: LlmToolCall): LlmTurnResponse {
  return { message: { role: "assistant", content: "", toolCalls: [call] }, stopReason: "toolUse" };
}
