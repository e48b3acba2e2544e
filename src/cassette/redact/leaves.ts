// The texts of a message that may hold a secret: all but roles, names and ids, and what a vendor made opaque, which is the
// data of an image and the signature of a thought. A field that nobody knows is stored as well, so it is among them.

import {
  isPlainObject,
  setOwn,
  type JsonValue,
  type LlmMessage,
  type LlmToolCall,
  type Reasoning,
  type UserMessage,
} from "../../core/index.js";

type Rewrite = (text: string) => string;

/** What has no secret in it, or is scrubbed by its own function. All else, also what nobody knows, is scrubbed as JSON. */
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

/** The message itself where no text changed. */
export function mapMessage(message: LlmMessage, rewrite: Rewrite): LlmMessage {
  return mapOthers(mapOwn(message, rewrite), OWN[message.role], rewrite);
}

function mapOwn(message: LlmMessage, rewrite: Rewrite): LlmMessage {
  switch (message.role) {
    case "system":
    case "tool":
      return mapField(message, "content", rewrite);
    case "user": {
      const content = mapContent(message.content, rewrite);
      return content === message.content ? message : { ...message, content };
    }
    case "assistant": {
      const { content, toolCalls, reasoning } = message;
      const text = rewrite(content);
      const calls = toolCalls === undefined ? undefined : mapList(toolCalls, (call) => mapCall(call, rewrite));
      const thoughts = reasoning === undefined ? undefined : mapThoughts(reasoning, rewrite);
      if (text === content && calls === toolCalls && thoughts === reasoning) return message;
      return {
        ...message,
        content: text,
        ...(calls === undefined ? {} : { toolCalls: calls }),
        ...(thoughts === undefined ? {} : { reasoning: thoughts }),
      };
    }
  }
}

/** Every field but those named, keys included; the object itself where none changed. */
export function mapOthers<T extends object>(object: T, own: readonly string[], rewrite: Rewrite): T {
  const all = Object.keys(object);
  if (all.every((name) => own.includes(name))) return object;
  const names = all.filter((name) => !own.includes(name));
  const before = object as unknown as Record<string, JsonValue>;
  const others = Object.fromEntries(names.map((name) => [name, before[name] as JsonValue]));
  const after = mapValue(others, rewrite);
  if (after === others) return object;
  const kept = all.filter((name) => own.includes(name));
  return { ...Object.fromEntries(kept.map((name) => [name, before[name]])), ...(after as object) } as T;
}

function mapContent(content: UserMessage["content"], rewrite: Rewrite): UserMessage["content"] {
  if (typeof content === "string") return rewrite(content);
  return mapList(content, (part) => mapOthers(part, OWN[part.type], rewrite));
}

function mapCall(call: LlmToolCall, rewrite: Rewrite): LlmToolCall {
  const args = mapStrings(call.arguments, rewrite);
  return mapOthers(args === call.arguments ? call : { ...call, arguments: args }, OWN.call, rewrite);
}

/** Of thoughts nobody checks the shape. */
function mapThoughts(reasoning: Reasoning[], rewrite: Rewrite): Reasoning[] {
  if (!Array.isArray(reasoning)) return mapValue(reasoning, rewrite) as unknown as Reasoning[];
  return mapList(reasoning, (thought) => {
    if (!isPlainObject(thought)) return mapValue(thought, rewrite) as unknown as Reasoning;
    return mapOthers(thought, thought.type === "redacted" ? OWN.redacted : OWN.thought, rewrite);
  });
}

function mapField<K extends string, T extends Record<K, string>>(object: T, key: K, rewrite: Rewrite): T {
  const text = rewrite(object[key]);
  return text === object[key] ? object : { ...object, [key]: text };
}

function mapList<T>(list: T[], map: (item: T) => T): T[] {
  const mapped = list.map(map);
  return mapped.some((item, index) => item !== list[index]) ? mapped : list;
}

/** Every text and every key of a JSON value; the value itself where none changed. */
export function mapStrings<T extends JsonValue>(value: T, rewrite: Rewrite): T {
  return mapValue(value, rewrite) as T;
}

function mapValue(value: JsonValue, rewrite: Rewrite): JsonValue {
  if (typeof value === "string") return rewrite(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return mapList(value, (item) => mapValue(item, rewrite));
  const result: Record<string, JsonValue> = {};
  let isChanged = false;
  for (const [key, before] of Object.entries(value)) {
    const [name, after] = [rewrite(key), mapValue(before, rewrite)];
    isChanged ||= name !== key || after !== before;
    setOwn(result, name, after);
  }
  return isChanged ? result : value;
}
