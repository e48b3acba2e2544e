// What every answer must be, whichever way it came.

import {
  canonicalize,
  findResponseFlaw,
  isPlainObject,
  NotJsonError,
  type LlmTurnResponse,
} from "../../../core/index.js";
import { findFigureFault, findStopFault, findThoughtFault } from "../../contract/response.js";
import { callsOf } from "./ask.js";
import { assertSame, fail } from "../case.js";

/** Fails for what is no turn response. */
export function assertResponse(what: string, response: unknown): asserts response is LlmTurnResponse {
  const flaw = findResponseFlaw(response);
  if (flaw !== undefined) fail(`${flaw.pointer === "" ? "it" : flaw.pointer} of ${what}`, response, flaw.expected);
}

/** Fails for what JSON cannot say, a field that is there and undefined among it. */
export function assertPlain(response: unknown): void {
  try {
    canonicalize(response);
  } catch (error) {
    if (!(error instanceof NotJsonError)) throw error;
    fail("the response", error.message, "plain JSON");
  }
}

/** `finalAnswer` stands where no tool is asked for. */
export function assertFinal(response: LlmTurnResponse | undefined): void {
  const calls = callsOf(response).length;
  const expected = calls === 0 ? "string" : "undefined";
  assertSame(`the type of finalAnswer beside ${calls} calls`, typeof response?.finalAnswer, expected);
}

/** The stop reason is that of the calls, or of their absence. */
export function assertStop(response: LlmTurnResponse | undefined): void {
  if (!hasMessage(response)) return;
  const fault = findStopFault(response);
  if (fault !== undefined) fail("the stop reason beside the calls", fault, "one that fits them");
}

/** Ids and names are there, and no id twice. */
export function assertCalls(response: LlmTurnResponse | undefined): void {
  const calls = callsOf(response);
  for (const { id, name } of calls) if (id === "" || name === "") fail("a call", { id, name }, "an id and a name");
  assertSame("how many ids there are", new Set(calls.map(({ id }) => id)).size, calls.length);
}

/** What could not be read is kept as it was written. */
export function assertMalformed(response: LlmTurnResponse | undefined): void {
  for (const { arguments: args, malformedArguments } of callsOf(response)) {
    if (malformedArguments === undefined) continue;
    assertSame("the type of malformedArguments", typeof malformedArguments, "string");
    assertSame("the arguments beside it", args, {});
  }
}

/** Thoughts are texts, or data that nobody reads. */
export function assertThoughts(response: LlmTurnResponse | undefined): void {
  if (!hasMessage(response)) return;
  const fault = findThoughtFault(response);
  if (fault !== undefined) fail("the thoughts", fault, "texts, or redacted data");
}

/** Figures are counts, and a price. What a vendor adds to them is left alone. */
export function assertFigures(response: Pick<LlmTurnResponse, "usage" | "costUsd"> | undefined): void {
  const fault = findFigureFault(response ?? {});
  if (fault !== undefined) fail("the figures", fault, "whole numbers of 0 or more, and a price of 0 or more");
}

/** Everything that is said above. */
export function assertAnswer(what: string, response: unknown): void {
  assertResponse(what, response);
  assertPlain(response);
  for (const assert of [assertFinal, assertStop, assertCalls, assertMalformed, assertThoughts, assertFigures]) {
    assert(response);
  }
}

function hasMessage(response: LlmTurnResponse | undefined): response is LlmTurnResponse {
  return isPlainObject((response as Partial<LlmTurnResponse> | undefined)?.message);
}
