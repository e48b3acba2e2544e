// A request at the door of recorder and replayer. Both read its conversation before anything else does, so what is none is
// refused here in words, and not somewhere below with a TypeError.

import type { LlmMessage, LlmTurnRequest } from "../../core/index.js";
import { CassetteError } from "../errors.js";

/** Refuses what no conversation can be read from; {@link assertMessages} is asked as well. Tools and settings that are null count as absent. */
export function assertRequest(request: unknown): asserts request is LlmTurnRequest {
  if (!isObject(request)) throw invalid(`the request is ${nameOf(request)}, not an object`);
  const { messages, tools, settings } = request as Partial<Record<keyof LlmTurnRequest, unknown>>;
  if (!Array.isArray(messages)) throw noList(`it is ${nameOf(messages)}`);
  if (!isAbsent(tools) && !Array.isArray(tools))
    throw invalid(`the tools of the request are ${nameOf(tools)}, no list`);
  if (!isAbsent(settings) && (!isObject(settings) || Array.isArray(settings))) {
    throw invalid(`the settings of the request are ${nameOf(settings)}, no object`);
  }
}

/** Refuses a list that holds anything but objects. The first `known` were looked at before. */
export function assertMessages(messages: readonly unknown[], known: number): asserts messages is readonly LlmMessage[] {
  const odd = findOddItem(messages, known);
  if (odd !== undefined) throw noList(odd);
}

/** Refuses what a `hashFilter` must not return. */
export function assertFiltered(result: unknown): asserts result is readonly LlmMessage[] {
  const odd = Array.isArray(result) ? findOddItem(result, 0) : `it is ${nameOf(result)}`;
  if (odd === undefined) return;
  throw new CassetteError("invalid-options", `hashFilter returned no list of messages: ${odd}`, {
    hint: "hashFilter(messages) returns the list to be hashed, at once: not a promise, and not undefined.",
  });
}

/** What keeps a list from being one of objects; holes count. */
function findOddItem(list: readonly unknown[], from: number): string | undefined {
  for (let index = from; index < list.length; index++) {
    if (!isObject(list[index])) return `item ${index} is ${nameOf(list[index])}`;
  }
  return undefined;
}

function noList(odd: string): CassetteError {
  return invalid(`the messages of the request are no list of messages: ${odd}`);
}

function invalid(summary: string): CassetteError {
  return new CassetteError("invalid-options", summary, {
    hint: "Call turn({ messages: [{ role, content }, …] }), with a list of tools and an object of settings or without them.",
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
