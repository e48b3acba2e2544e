// Checks of turn responses and messages, for providers and cassettes. A vendor may add fields; known fields must have their type.

import { isPlainObject } from "../canon/value.js";
import type { LlmTurnResponse } from "./provider.js";

/** A flaw: `pointer` (RFC 6901) into the response, and the expected value there. */
export interface ResponseFlaw {
  pointer: string;
  expected: string;
}

const STOP_REASONS: readonly unknown[] = ["stop", "toolUse", "length", "contentFilter", "error"];

const OPTIONAL_FIELDS = [
  ["finalAnswer", "string"],
  ["isRefusal", "boolean"],
  ["costUsd", "number"],
  ["model", "string"],
] as const;

/** The first flaw of `value` as an `LlmTurnResponse`, or undefined. */
export function findResponseFlaw(value: unknown): ResponseFlaw | undefined {
  if (!isPlainObject(value)) return { pointer: "", expected: "an object" };
  const flaw = findAssistantFlaw(value["message"]);
  if (flaw !== undefined) return { ...flaw, pointer: `/message${flaw.pointer}` };
  if (!STOP_REASONS.includes(value["stopReason"])) {
    return { pointer: "/stopReason", expected: `one of ${STOP_REASONS.join(", ")}` };
  }
  for (const [field, type] of OPTIONAL_FIELDS) {
    const given = value[field];
    if (given !== undefined && typeof given !== type) return { pointer: `/${field}`, expected: `a ${type}` };
  }
  const usage = value["usage"];
  if (usage === undefined) return undefined;
  if (!isPlainObject(usage)) return { pointer: "/usage", expected: "an object" };
  if (typeof usage["inputTokens"] !== "number") return { pointer: "/usage/inputTokens", expected: "a number" };
  if (typeof usage["outputTokens"] !== "number") return { pointer: "/usage/outputTokens", expected: "a number" };
  return undefined;
}

const FIGURES = ["inputTokens", "outputTokens", "cacheReadTokens", "cacheWriteTokens", "reasoningTokens"] as const;

/** The first figure of a response that cannot be counted. Infinity, NaN or a negative price must not lift a cap. */
export function findFigureFlaw({ usage, costUsd }: LlmTurnResponse): ResponseFlaw | undefined {
  const expected = "a finite number of 0 or more";
  if (costUsd !== undefined && !isFigure(costUsd)) return { pointer: "/costUsd", expected };
  if (usage === undefined) return undefined;
  for (const name of FIGURES) {
    const count = usage[name];
    if (count !== undefined && !isFigure(count)) return { pointer: `/usage/${name}`, expected };
  }
  return undefined;
}

function isFigure(value: number): boolean {
  return Number.isFinite(value) && value >= 0;
}

function findAssistantFlaw(message: unknown): ResponseFlaw | undefined {
  if (!isPlainObject(message)) return { pointer: "", expected: "an object" };
  if (message["role"] !== "assistant") return { pointer: "/role", expected: `"assistant"` };
  if (typeof message["content"] !== "string") return { pointer: "/content", expected: "a string" };
  const calls = message["toolCalls"];
  if (calls === undefined) return undefined;
  if (!Array.isArray(calls)) return { pointer: "/toolCalls", expected: "a list" };
  for (let index = 0; index < calls.length; index++) {
    const flaw = findCallFlaw(calls[index]);
    if (flaw !== undefined) return { ...flaw, pointer: `/toolCalls/${index}${flaw.pointer}` };
  }
  return undefined;
}

function findCallFlaw(call: unknown): ResponseFlaw | undefined {
  if (!isPlainObject(call)) return { pointer: "", expected: "an object" };
  if (typeof call["id"] !== "string") return { pointer: "/id", expected: "a string" };
  if (typeof call["name"] !== "string") return { pointer: "/name", expected: "a string" };
  return isPlainObject(call["arguments"]) ? undefined : { pointer: "/arguments", expected: "an object" };
}

/** The first flaw of `value` as an `LlmMessage`, or undefined. */
export function findMessageFlaw(value: unknown): ResponseFlaw | undefined {
  if (!isPlainObject(value)) return { pointer: "", expected: "an object" };
  switch (value["role"]) {
    case "assistant":
      return findAssistantFlaw(value);
    case "system":
      return typeof value["content"] === "string" ? undefined : { pointer: "/content", expected: "a string" };
    case "user":
      return typeof value["content"] === "string" ? undefined : findPartsFlaw(value["content"]);
    case "tool": {
      const missing = ["toolCallId", "name", "content"].find((field) => typeof value[field] !== "string");
      return missing === undefined ? undefined : { pointer: `/${missing}`, expected: "a string" };
    }
    default:
      return { pointer: "/role", expected: "one of system, user, assistant, tool" };
  }
}

function findPartsFlaw(parts: unknown): ResponseFlaw | undefined {
  if (!Array.isArray(parts)) return { pointer: "/content", expected: "a string or a list of parts" };
  for (const [index, part] of parts.entries()) {
    const flaw = findPartFlaw(part);
    if (flaw !== undefined) return { ...flaw, pointer: `/content/${index}${flaw.pointer}` };
  }
  return undefined;
}

function findPartFlaw(part: unknown): ResponseFlaw | undefined {
  if (!isPlainObject(part)) return { pointer: "", expected: "an object" };
  const missing = (fields: readonly string[]): ResponseFlaw | undefined => {
    const field = fields.find((name) => typeof part[name] !== "string");
    return field === undefined ? undefined : { pointer: `/${field}`, expected: "a string" };
  };
  switch (part["type"]) {
    case "text":
      return missing(["text"]);
    case "image":
      return missing("url" in part ? ["url"] : ["mediaType", "data"]);
    default:
      return { pointer: "/type", expected: "one of text, image" };
  }
}
