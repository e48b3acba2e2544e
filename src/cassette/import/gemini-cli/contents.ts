// Gemini's contents and answers as messages, read by the vendor's own parser, so that signatures and parts without a place are kept.

import { AgentError, VENDORS, type JsonObject, type JsonValue } from "../../../core/index.js";
import type { LogAssistantMessage, LogMessage } from "../log-run.js";
import { fromWire } from "../message/from-wire.js";
import { keepUnknown } from "../message/message.js";
import type { RepairLog } from "../repair.js";
import { isObject, toList, toObject, toText } from "../foreign-json.js";

/** The messages of one content: `{role, parts}`. */
export function readContent(content: JsonValue, repairs: RepairLog): LogMessage[] {
  const { role, parts } = toObject(content);
  const list = toParts(parts);
  const messages = attempt(
    () => VENDORS.gemini.parse({ contents: [{ role: role ?? "user", parts: list }] }).request.messages,
  );
  if (messages === undefined) return [keepUnknown(content, repairs)];
  const results = idsOf(list, "functionResponse").values();
  return messages.map((message) => {
    const ids = message.role === "tool" ? [results.next().value] : idsOf(list, "functionCall");
    return fromWire(message, ids);
  });
}

/** Parts, of which each may be a text. */
export function toParts(value: JsonValue | undefined): JsonObject[] {
  const list = Array.isArray(value) ? value : value === undefined || value === null ? [] : [value];
  return list.map((part) => (isObject(part) ? part : { text: toText(part) }));
}

function idsOf(parts: readonly JsonObject[], field: "functionCall" | "functionResponse"): (JsonValue | undefined)[] {
  return parts.flatMap((part) => (isObject(part[field]) ? [part[field]["id"]] : []));
}

/** One answer of `generateContent`, or the chunks of `generateContentStream`. Undefined for an error. */
export function readResponse(response: JsonValue): LogAssistantMessage | undefined {
  const bytes = new TextEncoder().encode(JSON.stringify(response));
  const answer = attempt(() => VENDORS.gemini.read({ bytes, isStream: false, isCut: false }));
  if (answer === undefined) return undefined;
  const chunks = toList(Array.isArray(response) ? response : [response]);
  const parts = chunks.flatMap((chunk) => {
    const [candidate] = toList(toObject(chunk)["candidates"]);
    return toList(toObject(toObject(candidate)["content"])["parts"]).map(toObject);
  });
  const { message, usage, model, stopReason } = answer;
  const isEarly = stopReason !== "stop" && stopReason !== "toolUse";
  return {
    ...(fromWire(message, idsOf(parts, "functionCall")) as LogAssistantMessage),
    usage,
    model: model === "" ? undefined : model,
    stopReason: isEarly ? stopReason : undefined,
  };
}

function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (error instanceof AgentError) return undefined;
    throw error;
  }
}
