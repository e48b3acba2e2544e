// Visits the texts of a message, and the numbers in its arguments, that may hold a secret. It skips roles, names, ids and opaque
// data: the bytes of an image and the signature of a thought. Unknown fields are stored too, so it visits them.

import {
  defined,
  isPlainObject,
  setOwn,
  type JsonObject,
  type JsonValue,
  type LlmMessage,
  type LlmToolCall,
  type Reasoning,
  type UserMessage,
} from "../../core/index.js";

type Rewrite = (text: string) => string;

/** Fields without secrets, and fields with a scrub function of their own. All others, even unknown ones, are scrubbed as JSON. */
const OWN = {
  system: ["role", "content"],
  user: ["role", "content"],
  assistant: ["role", "content", "toolCalls", "reasoning"],
  tool: ["role", "content", "toolCallId", "name", "isError"],
  call: ["id", "name", "arguments"],
  text: ["type"],
  image: ["type", "data"],
  thought: ["type", "signature"],
  redacted: ["type", "data"],
} as const;

/** Rewrites the texts of a message. Returns the message itself if none changed. */
export function mapMessage(message: LlmMessage, rewrite: Rewrite): LlmMessage {
  return mapOthers(mapOwn(message, rewrite), OWN[message.role], rewrite);
}

function mapOwn(message: LlmMessage, rewrite: Rewrite): LlmMessage {
  if (message.role !== "assistant") {
    const content = mapContent(message.content, rewrite);
    return content === message.content ? message : ({ ...message, content } as LlmMessage);
  }
  const { content, toolCalls, reasoning } = message;
  const text = rewrite(content);
  const calls = toolCalls === undefined ? undefined : mapList(toolCalls, (call) => mapCall(call, rewrite));
  const thoughts = reasoning === undefined ? undefined : mapThoughts(reasoning, rewrite);
  if (text === content && calls === toolCalls && thoughts === reasoning) return message;
  return { ...message, content: text, ...defined({ toolCalls: calls, reasoning: thoughts }) };
}

/** Rewrites all fields except `own`, keys included. Returns the object itself if none changed. */
export function mapOthers<T extends object>(object: T, own: readonly string[], rewrite: Rewrite): T {
  const before = object as unknown as JsonObject;
  const others = mapKeys(before, rewrite, own);
  if (others === undefined) return object;
  const kept = Object.keys(before).filter((name) => own.includes(name));
  return { ...Object.fromEntries(kept.map((name) => [name, before[name]])), ...others } as T;
}

function mapContent(content: UserMessage["content"], rewrite: Rewrite): UserMessage["content"] {
  if (typeof content === "string") return rewrite(content);
  return mapList(content, (part) => mapOthers(part, OWN[part.type], rewrite));
}

function mapCall(call: LlmToolCall, rewrite: Rewrite): LlmToolCall {
  const args = mapValue(call.arguments, rewrite, true) as JsonObject;
  return mapOthers(args === call.arguments ? call : { ...call, arguments: args }, OWN.call, rewrite);
}

/** Accepts any value, since the shape of thoughts is not checked. */
function mapThoughts(reasoning: Reasoning[], rewrite: Rewrite): Reasoning[] {
  if (!Array.isArray(reasoning)) return mapValue(reasoning, rewrite) as unknown as Reasoning[];
  return mapList(reasoning, (thought) => {
    if (!isPlainObject(thought)) return mapValue(thought, rewrite) as unknown as Reasoning;
    return mapOthers(thought, thought.type === "redacted" ? OWN.redacted : OWN.thought, rewrite);
  });
}

function mapList<T>(list: T[], map: (item: T) => T): T[] {
  let mapped: T[] | undefined;
  for (let index = 0; index < list.length; index++) {
    const item = list[index] as T;
    const after = map(item);
    if (after !== item) mapped ??= list.slice(0, index);
    mapped?.push(after);
  }
  return mapped ?? list;
}

/** Rewrites every text and key of a JSON value. Returns the value itself if none changed. */
export function mapStrings<T extends JsonValue>(value: T, rewrite: Rewrite): T {
  return mapValue(value, rewrite) as T;
}

function mapValue(value: JsonValue, rewrite: Rewrite, hasNumbers = false): JsonValue {
  if (typeof value === "string") return rewrite(value);
  if (typeof value === "number" && hasNumbers) return mapNumber(value, rewrite);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return mapList(value, (item) => mapValue(item, rewrite, hasNumbers));
  return mapKeys(value, rewrite, NO_KEYS, hasNumbers) ?? value;
}

/** Treats a number as a secret if its text is one. */
function mapNumber(value: number, rewrite: Rewrite): JsonValue {
  const text = String(value);
  const after = rewrite(text);
  return after === text ? value : after;
}

const NO_KEYS: readonly string[] = [];

/** Copies all keys except `own`, starting at the first change. Undefined if nothing changed, which is the usual case. */
function mapKeys(
  object: JsonObject,
  rewrite: Rewrite,
  own: readonly string[],
  hasNumbers = false,
): JsonObject | undefined {
  const names = Object.keys(object);
  let result: JsonObject | undefined;
  for (let index = 0; index < names.length; index++) {
    const name = names[index] as string;
    if (own.includes(name)) continue;
    const value = object[name] as JsonValue;
    const newName = rewrite(name);
    const after = mapValue(value, rewrite, hasNumbers);
    if (newName !== name || after !== value) result ??= pick(object, names.slice(0, index), own);
    if (result !== undefined) setOwn(result, newName, after);
  }
  return result;
}

function pick(object: JsonObject, names: readonly string[], own: readonly string[]): JsonObject {
  const result: JsonObject = {};
  for (const name of names) if (!own.includes(name)) setOwn(result, name, object[name] as JsonValue);
  return result;
}
