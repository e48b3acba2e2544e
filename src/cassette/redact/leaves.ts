// The texts of a message that may hold a secret. Roles, names and ids are not among them, nor what a vendor made opaque:
// the data of an image, the signature of a thought.

import { setOwn, type JsonValue, type LlmMessage, type LlmToolCall, type UserMessage } from "../../core/index.js";

type Rewrite = (text: string) => string;

/** The message itself where no text changed. */
export function mapMessage(message: LlmMessage, rewrite: Rewrite): LlmMessage {
  switch (message.role) {
    case "system":
    case "tool": {
      const content = rewrite(message.content);
      return content === message.content ? message : { ...message, content };
    }
    case "user": {
      const content = mapContent(message.content, rewrite);
      return content === message.content ? message : { ...message, content };
    }
    case "assistant": {
      const { content, toolCalls, reasoning } = message;
      const text = rewrite(content);
      const calls = toolCalls === undefined ? undefined : mapList(toolCalls, (call) => mapCall(call, rewrite));
      const thoughts =
        reasoning === undefined
          ? undefined
          : mapList(reasoning, (thought) => (thought.type === "text" ? mapField(thought, "text", rewrite) : thought));
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

function mapContent(content: UserMessage["content"], rewrite: Rewrite): UserMessage["content"] {
  if (typeof content === "string") return rewrite(content);
  return mapList(content, (part) => {
    if (part.type === "text") return mapField(part, "text", rewrite);
    return "url" in part ? mapField(part, "url", rewrite) : part;
  });
}

function mapCall(call: LlmToolCall, rewrite: Rewrite): LlmToolCall {
  const args = mapStrings(call.arguments, rewrite);
  const changed = args === call.arguments ? call : { ...call, arguments: args };
  if (changed.malformedArguments === undefined) return changed;
  return mapField({ ...changed, malformedArguments: changed.malformedArguments }, "malformedArguments", rewrite);
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
