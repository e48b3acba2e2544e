// Checks of a request for recorder and replay, so that a malformed one is refused in words and not with a TypeError further down.

import type { LlmMessage, LlmTurnRequest } from "../../core/index.js";
import { CassetteError } from "../errors.js";

/** Refuses a malformed request; {@link assertMessages} checks its messages. Null tools and settings count as absent. */
export function assertRequest(request: unknown): asserts request is LlmTurnRequest {
  if (!isObject(request)) throw invalid(`the request is ${nameOf(request)}, not an object`);
  const { messages, tools, settings } = request as Partial<Record<keyof LlmTurnRequest, unknown>>;
  if (!Array.isArray(messages)) throw noList(`it is ${nameOf(messages)}`);
  if (!isAbsent(tools) && !Array.isArray(tools))
    throw invalid(`the tools of the request are ${nameOf(tools)}, not a list`);
  if (!isAbsent(settings) && (!isObject(settings) || Array.isArray(settings))) {
    throw invalid(`the settings of the request are ${nameOf(settings)}, not an object`);
  }
}

/** Refuses a list with an item that is not an object. The first `known` items were checked before. */
export function assertMessages(messages: readonly unknown[], known: number): asserts messages is readonly LlmMessage[] {
  const odd = findOddItem(messages, known);
  if (odd !== undefined) throw noList(odd);
}

/** Refuses a wrong result of a `hashFilter`. */
export function assertFiltered(result: unknown): asserts result is readonly LlmMessage[] {
  const odd = Array.isArray(result) ? findOddItem(result, 0) : `it is ${nameOf(result)}`;
  if (odd === undefined) return;
  throw new CassetteError("invalid-options", `hashFilter did not return a list of messages: ${odd}`, {
    hint: "hashFilter(messages) must return the list to hash, not a promise and not undefined.",
  });
}

/** Describes the first item that is not an object. Holes count. */
function findOddItem(list: readonly unknown[], from: number): string | undefined {
  for (let index = from; index < list.length; index++) {
    if (!isObject(list[index])) return `item ${index} is ${nameOf(list[index])}`;
  }
  return undefined;
}

function noList(odd: string): CassetteError {
  return invalid(`the messages of the request are not a list of messages: ${odd}`);
}

function invalid(summary: string): CassetteError {
  return new CassetteError("invalid-options", summary, {
    hint: "Call turn({ messages: [{ role, content }, …] }), optionally with a list of tools and an object of settings.",
  });
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isAbsent(value: unknown): value is null | undefined {
  return value === undefined || value === null;
}

function nameOf(value: unknown): string {
  if (isAbsent(value)) return String(value);
  if (value instanceof Promise) return "a promise";
  if (Array.isArray(value)) return "a list";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
