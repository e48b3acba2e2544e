// The clauses about a provider's answer. The first one reports a value that is not a response. The others accept it.

import { findResponseFlaw, isPlainObject, type LlmToolCall, type LlmTurnResponse } from "../../core/index.js";
import { assertSame, fail, toClauses, violationOf, type Clause } from "./clause.js";
import { findImpurity, findStrictImpurity } from "./json.js";

export const responseClauses: readonly Clause<LlmTurnResponse | undefined, void>[] = toClauses({
  "answers with a turn response": {
    advice:
      "Resolve to { message: { role: 'assistant', content, toolCalls? }, stopReason }, as LlmTurnResponse has it.",
    check: assertShape,
  },
  "answers with plain JSON without undefined fields": {
    advice:
      "Leave out a field that has no value, and write what is not JSON (a Date, a BigInt, NaN) as text or a number.",
    check: (response) => assertPlain(findStrictImpurity(response)),
  },
  "gives a final answer only without tool calls": {
    advice: "Set finalAnswer if there are no calls, and omit it if there are any.",
    check: assertFinal,
  },
  "gives a stop reason that fits its tool calls": {
    advice: "Return toolUse if there are calls and stop if there are none, whatever the vendor's own term is.",
    check: assertStop,
  },
  "gives each call a unique id and a name": {
    advice: "Create an id for each call without one, because results are found by it.",
    check(response) {
      for (const { id, name } of callsOf(response)) {
        if (id === "" || name === "") fail("a call", { id, name }, "an id and a name");
      }
      assertIds(response);
    },
  },
  "keeps arguments that are not an object as text, with an empty object": {
    advice: "Put unreadable arguments into malformedArguments as they were written, and set arguments to {}.",
    check: assertMalformed,
  },
  "gives reasoning as text or as redacted data": {
    advice:
      "Return each item of message.reasoning as { type: 'text', text, signature? } or { type: 'redacted', data }.",
    check: assertThoughts,
  },
  "gives token counts as whole numbers and cost as a number, at least 0": {
    advice: "Omit usage or costUsd if the vendor reports nothing countable.",
    check: assertFigures,
  },
});

export function assertResponse(response: unknown): asserts response is LlmTurnResponse {
  for (const { check } of responseClauses) check(response as LlmTurnResponse);
}

/** Why a run cannot continue from this answer. Laxer than the clauses: names may be empty, and fields undefined. */
export function findAnswerFault(value: unknown): string | undefined {
  return violationOf(() => {
    assertShape(value);
    assertPlain(findImpurity(value));
    if (callsOf(value).length > 0) assertFinal(value);
    for (const assert of [assertIds, assertMalformed, assertStop, assertThoughts, assertFigures]) assert(value);
  });
}

/** The calls of a response, or an empty list for another value. */
export function callsOf(response: unknown): readonly LlmToolCall[] {
  const calls: unknown = (response as Partial<LlmTurnResponse> | undefined)?.message?.toolCalls;
  return Array.isArray(calls) ? calls.filter((call): call is LlmToolCall => isPlainObject(call)) : [];
}

function assertShape(response: unknown): asserts response is LlmTurnResponse {
  const flaw = findResponseFlaw(response);
  if (flaw !== undefined) fail(flaw.pointer === "" ? "it" : flaw.pointer, response, flaw.expected);
}

function assertPlain(impurity: string | undefined): void {
  if (impurity !== undefined) fail("the response", impurity, "plain JSON");
}

function assertFinal(response: LlmTurnResponse | undefined): void {
  const calls = callsOf(response).length;
  const expected = calls === 0 ? "string" : "undefined";
  assertSame(`the type of finalAnswer with ${calls} calls`, typeof response?.finalAnswer, expected);
}

/** An answer that was cut off may still have calls. */
function assertStop(response: LlmTurnResponse | undefined): void {
  if (!hasMessage(response)) return;
  const { stopReason } = response;
  const calls = (response.message.toolCalls ?? []).length;
  if (stopReason !== (calls > 0 ? "stop" : "toolUse")) return;
  fail(`the stop reason with ${calls} calls`, stopReason, calls > 0 ? "toolUse" : "stop");
}

function assertIds(response: LlmTurnResponse | undefined): void {
  const calls = callsOf(response);
  for (const [index, { id }] of calls.entries()) {
    if (calls.findIndex((call) => call.id === id) !== index) {
      fail(`/message/toolCalls/${index}/id`, id, "an id that no earlier call has");
    }
  }
}

function assertMalformed(response: LlmTurnResponse | undefined): void {
  for (const { arguments: args, malformedArguments } of callsOf(response)) {
    if (malformedArguments === undefined) continue;
    assertSame("the type of malformedArguments", typeof malformedArguments, "string");
    assertSame("the arguments of a call with malformedArguments", args, {});
  }
}

function assertThoughts(response: LlmTurnResponse | undefined): void {
  const thoughts: unknown = hasMessage(response) ? response.message.reasoning : undefined;
  if (thoughts === undefined) return;
  if (!Array.isArray(thoughts)) fail("/message/reasoning", thoughts, "a list");
  for (const [index, thought] of thoughts.entries()) {
    if (!isThought(thought)) fail(`/message/reasoning/${index}`, thought, "a text or redacted data");
  }
}

function isThought(thought: unknown): boolean {
  const { type, text, data, signature } = (thought ?? {}) as Partial<Record<string, unknown>>;
  if (type === "redacted") return typeof data === "string";
  return type === "text" && typeof text === "string" && (signature === undefined || typeof signature === "string");
}

const COUNTS = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"] as const;

/** Ignores further figures of a vendor. */
function assertFigures(response: Pick<LlmTurnResponse, "usage" | "costUsd"> | undefined): void {
  const { usage, costUsd } = response ?? {};
  for (const name of COUNTS) {
    const count: unknown = usage?.[name];
    if (count !== undefined && !isCount(count)) fail(`/usage/${name}`, count, "a whole number of 0 or more");
  }
  if (costUsd === undefined || (Number.isFinite(costUsd) && costUsd >= 0)) return;
  fail("/costUsd", costUsd, "a finite number of 0 or more");
}

export function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

function hasMessage(response: LlmTurnResponse | undefined): response is LlmTurnResponse {
  return isPlainObject((response as Partial<LlmTurnResponse> | undefined)?.message);
}
