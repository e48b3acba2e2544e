// The clauses about an answer of a provider. Each copes with a value that is no response: the first one reports that.

import { findResponseFlaw, isPlainObject, type LlmToolCall, type LlmTurnResponse } from "../../core/index.js";
import { assertSame, fail, toClauses, violationOf, type Clause } from "./clause.js";
import { findImpurity, findStrictImpurity } from "./json.js";

export const responseClauses: readonly Clause<LlmTurnResponse | undefined, void>[] = toClauses({
  "answers with a turn response": {
    advice:
      "Resolve to { message: { role: 'assistant', content, toolCalls? }, stopReason }, as LlmTurnResponse has it.",
    check: assertShape,
  },
  "answers with plain JSON, no field of which is undefined": {
    advice:
      "Leave out a field that has no value, and write what is not JSON (a Date, a BigInt, NaN) as text or a number.",
    check: (response) => assertPlain(findStrictImpurity(response)),
  },
  "gives the final answer where it asks for no tool, and only there": {
    advice: "Set finalAnswer when there are no calls, and leave it out when there are some.",
    check: assertFinal,
  },
  "says by its stop reason whether it asks for a tool": {
    advice: "Give toolUse when there are calls and stop when there are none, whatever the vendor calls it.",
    check: assertStop,
  },
  "gives each of its calls an id of its own and a name": {
    advice: "Make an id for each call when the vendor gives none: results are found by it.",
    check(response) {
      for (const { id, name } of callsOf(response)) {
        if (id === "" || name === "") fail("a call", { id, name }, "an id and a name");
      }
      assertIds(response);
    },
  },
  "keeps arguments that are no object as text, beside an empty object": {
    advice:
      "Put arguments that could not be read into malformedArguments as they were written, and set arguments to {}.",
    check: assertMalformed,
  },
  "gives its thoughts as texts or as redacted data": {
    advice: "Give each of message.reasoning as { type: 'text', text, signature? } or as { type: 'redacted', data }.",
    check: assertThoughts,
  },
  "counts tokens in whole numbers and cost in numbers, none below 0": {
    advice: "Leave usage or costUsd out when the vendor reports nothing that can be counted.",
    check: assertFigures,
  },
});

export function assertResponse(response: unknown): asserts response is LlmTurnResponse {
  for (const { check } of responseClauses) check(response as LlmTurnResponse);
}

/** Why no run could go on from this answer. Laxer than the clauses: names may be empty, and fields undefined. */
export function findAnswerFault(value: unknown): string | undefined {
  return violationOf(() => {
    assertShape(value);
    assertPlain(findImpurity(value));
    if (callsOf(value).length > 0) assertFinal(value);
    for (const assert of [assertIds, assertMalformed, assertStop, assertThoughts, assertFigures]) assert(value);
  });
}

/** The calls of a response; none for what is not one. */
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

/** An answer that was cut off may have calls all the same. */
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

/** Figures that a vendor adds are left alone. */
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
