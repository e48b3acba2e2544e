// Chat messages in any of the words that traces use (OpenAI Chat and Responses, Gemini, LangChain, the AI SDK, the GenAI
// semantic conventions), put into those of OpenAI's chat, which openai.ts reads. Says nothing of repairs: what is put into
// other words here is the same thing; what has no word is handed on as it is, for the reader to count.

import { canonicalize, type JsonObject, type JsonValue } from "../../core/index.js";
import { hasToolPart, toChatParts, toTextOf, type ChatParts } from "./chat-part.js";
import { isObject, toName, toText, toThoughts } from "./value.js";

export type ChatRole = "user" | "assistant";

/** The messages of a prompt or an answer. What has no role is `role`'s; a text is one message. */
export function toChatMessages(value: JsonValue | undefined, role: ChatRole): JsonObject[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return fromList(value, role);
  if (!isObject(value)) return [{ role, content: toTextOf(value) }];
  return fromContainer(value, role) ?? toMessages(value, role);
}

/** The tools that stand among the messages (LangChain's callbacks write them so), and the messages without them. */
export function takeTools(messages: readonly JsonValue[]): { messages: JsonValue[]; tools: JsonValue[] } {
  const tools: JsonValue[] = [];
  const rest = messages.filter((message) => {
    const content = isObject(message) && message["role"] === "tool" ? message["content"] : undefined;
    const isTool = isObject(content) && content["type"] === "function" && isObject(content["function"]);
    if (isTool) tools.push(content);
    return !isTool;
  });
  return { messages: rest, tools };
}

function fromList(list: readonly JsonValue[], role: ChatRole): JsonObject[] {
  const [first] = list;
  // LangChain runs batches; one of them is a list in a list.
  if (Array.isArray(first)) return list.flatMap((item) => toChatMessages(item, role));
  const isParts = list.every((item) => isObject(item) && item["role"] === undefined && isPart(item));
  if (list.length > 0 && isParts) return build(role, {}, toChatParts(list));
  return list.flatMap((item) => (isObject(item) ? toMessages(item, role) : toChatMessages(item, role)));
}

function isPart(item: JsonObject): boolean {
  return (
    hasToolPart(item) || item["type"] === "text" || (item["type"] === undefined && typeof item["text"] === "string")
  );
}

/** A body or state around messages. */
function fromContainer(value: JsonObject, role: ChatRole): JsonObject[] | undefined {
  const { messages, contents, config, content, output, choices, generations, candidates, prompt, system, update } =
    value;
  if (Array.isArray(messages)) {
    const first: JsonObject[] = typeof system === "string" ? [{ role: "system", content: system }] : [];
    return [...first, ...fromList(messages, role)];
  }
  if (Array.isArray(contents)) {
    const instruction = isObject(config) ? config["system_instruction"] : undefined;
    const first: JsonObject[] =
      instruction === undefined || instruction === null ? [] : [{ role: "system", content: toTextOf(instruction) }];
    return [...first, ...fromList(contents, role)];
  }
  if (Array.isArray(output) && value["object"] === "response") return joinAnswer(fromList(output, role));
  if (Array.isArray(choices)) return choices.slice(0, 1).flatMap((choice) => toChatMessages(choice, "assistant"));
  if (Array.isArray(candidates)) return candidates.slice(0, 1).flatMap((one) => toChatMessages(one, "assistant"));
  if (Array.isArray(generations)) {
    const [batch] = generations;
    const [one] = Array.isArray(batch) ? batch : generations;
    return isObject(one) ? toChatMessages(one["message"] ?? one["text"], "assistant") : undefined;
  }
  if (isObject(content) && Array.isArray(content["parts"])) return toMessages(content, role);
  if (isObject(value["new_message"])) return toMessages(value["new_message"], role);
  if (isObject(update) && Array.isArray(update["messages"])) return fromContainer(update, role);
  if (typeof prompt === "string" && value["role"] === undefined) {
    const first: JsonObject[] = typeof system === "string" ? [{ role: "system", content: system }] : [];
    return [...first, { role, content: prompt }];
  }
  return undefined;
}

/** An answer is one message, in however many items it came. */
export function joinAnswer(messages: readonly JsonObject[]): JsonObject[] {
  const own = messages.filter((message) => message["role"] === "assistant");
  if (own.length < 2) return [...messages];
  const lists = (field: string): JsonValue[] =>
    own.flatMap((message) => (message[field] as JsonValue[] | undefined) ?? []);
  const texts = (field: string): string => own.map((message) => toText(message[field])).join("");
  const [calls, thoughts] = [
    lists("tool_calls"),
    own.flatMap(({ reasoning_content }) => toThoughts(reasoning_content)),
  ];
  return [
    {
      role: "assistant",
      content: texts("content"),
      ...(calls.length === 0 ? {} : { tool_calls: calls }),
      ...fromThoughts(thoughts),
    },
  ];
}

const ROLES: Readonly<Record<string, string>> = {
  human: "user",
  HumanMessage: "user",
  HumanMessageChunk: "user",
  ai: "assistant",
  AIMessage: "assistant",
  AIMessageChunk: "assistant",
  model: "assistant",
  SystemMessage: "system",
  ToolMessage: "tool",
};

/** One message; a message with results of tools is one for each, and one for what stands beside them. */
function toMessages(message: JsonObject, role: ChatRole): JsonObject[] {
  const { kwargs, id, lc } = message;
  if (lc !== undefined && isObject(kwargs) && Array.isArray(id)) {
    return toMessages({ type: id.at(-1) ?? null, ...kwargs }, role);
  }
  if (isObject(message["message"])) return toMessages(message["message"], "assistant");
  const type = toText(message["type"]);
  if (type === "function_call") return build("assistant", {}, toChatParts([message]));
  if (type === "function_call_output") {
    return [{ role: "tool", tool_call_id: message["call_id"] ?? null, content: toTextOf(message["output"]) }];
  }
  if (type === "reasoning") return build("assistant", {}, toChatParts([message]));
  const word = toName(message["role"]) ?? (type === "" ? undefined : type);
  const own =
    word === undefined || word === "message" ? role : Object.hasOwn(ROLES, word) ? (ROLES[word] as string) : word;
  const parts = message["parts"] ?? message["content"];
  if (Array.isArray(parts)) return build(own, message, toChatParts(parts));
  if (parts === undefined && isObject(message) && word === undefined) {
    return [{ role: own, content: canonicalize(message) }];
  }
  return build(
    own,
    message,
    toChatParts(parts === undefined || parts === null ? [] : [{ type: "text", text: toTextOf(parts) }]),
  );
}

function build(role: string, message: JsonObject, { content, calls, results, thoughts }: ChatParts): JsonObject[] {
  const asked = [...callsOf(message), ...calls];
  const thought = [...toThoughts(message["reasoning_content"]), ...toThoughts(thoughts)];
  const own: JsonObject = {
    role,
    content: content.every((part) => typeof part === "string") ? joinSingle(content) : content,
    ...(asked.length === 0 ? {} : { tool_calls: asked }),
    ...fromThoughts(thought),
    ...toolFields(role, message),
    ...othersOf(message),
  };
  if (results.length === 0) return [own];
  const isEmpty = content.length === 0 && asked.length === 0 && thought.length === 0;
  return isEmpty ? results : [...results, own];
}

/** One thought is a text, as vendors send it; several are a list of texts, so that none is joined with the next. */
function fromThoughts(thoughts: readonly string[]): JsonObject {
  const [first] = thoughts;
  if (first === undefined) return {};
  return { reasoning_content: thoughts.length > 1 ? [...thoughts] : first };
}

/** What this file reads, and what a trace notes beside a message: its place, its vendor, how it was made. */
const HANDLED = new Set([
  ...["role", "content", "parts", "type", "lc", "id", "index", "finish_reason", "message", "name", "status"],
  ...["tool_calls", "additional_kwargs", "function_call", "reasoning_content", "tool_call_id", "toolCallId"],
  ...["response_metadata", "usage_metadata", "example", "gen_ai.system", "gen_ai.message.index", "event.name"],
  ...["providerOptions", "providerMetadata", "phase"],
]);

/** Fields for the reader to count. A tool that failed says so in a field that OpenAI's messages do not have. */
function othersOf(message: JsonObject): JsonObject {
  const others = Object.entries(message).filter(([name]) => !HANDLED.has(name));
  const { status, name, role } = message;
  return {
    ...Object.fromEntries(others),
    ...(status === "error" ? { status } : {}),
    ...(role !== "tool" && role !== undefined && typeof name === "string" ? { name } : {}),
  };
}

/** One text is a text; several are a list, which its reader joins and counts. */
function joinSingle(content: readonly JsonValue[]): JsonValue {
  return content.length > 1 ? content.map((text) => ({ type: "text", text })) : (content[0] ?? "");
}

function toolFields(role: string, message: JsonObject): JsonObject {
  if (role !== "tool") return {};
  const id = message["tool_call_id"] ?? message["id"] ?? message["toolCallId"];
  const name = toName(message["name"]);
  return { ...(id === undefined ? {} : { tool_call_id: id }), ...(name === undefined ? {} : { name }) };
}

function callsOf({ tool_calls: calls, additional_kwargs: more, function_call: legacy }: JsonObject): JsonValue[] {
  const own = Array.isArray(calls) && calls.length > 0 ? calls : isObject(more) ? more["tool_calls"] : undefined;
  const list = Array.isArray(own) ? own : isObject(legacy) ? [legacy] : [];
  return list.map((call) => {
    if (!isObject(call)) return call;
    const body = isObject(call["function"]) ? call["function"] : call;
    const given = body["arguments"] ?? body["args"] ?? body["input"];
    const text = isObject(given) ? JSON.stringify(given) : given;
    return { id: call["id"] ?? null, function: { name: body["name"] ?? null, arguments: text ?? "{}" } };
  });
}
