// Rewrites chat messages in any of the words that traces use (OpenAI Chat and Responses, Gemini, LangChain, the AI SDK, the
// GenAI semantic conventions) as OpenAI's, which formats/openai.ts reads. Nothing is repaired here: what has no word in OpenAI's
// messages is passed on unchanged, for the reader to count.

import { canonicalize, defined, type JsonObject, type JsonValue } from "../../../core/index.js";
import { AFTER_CALLS } from "../formats/openai.js";
import { isObject, toList, toName, toObject, toText, toThoughts } from "../foreign-json.js";
import { hasToolPart, isResultPart, toChatParts, toTextOf, type ChatParts } from "./chat-part.js";

type ChatRole = "user" | "assistant";

/** The messages of a prompt or an answer. A message without a role gets `role`; a text is one message. */
export function toChatMessages(value: JsonValue | undefined, role: ChatRole): JsonObject[] {
  if (value === undefined || value === null) return [];
  if (Array.isArray(value)) return fromList(value, role);
  if (!isObject(value)) return [{ role, content: toTextOf(value) }];
  return fromContainer(value, role) ?? toMessages(value, role);
}

/** Separates the tools that are among the messages, as LangChain's callbacks write them, from the messages. */
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
  // LangChain runs batches: a list of lists.
  if (Array.isArray(first)) return list.flatMap((item) => toChatMessages(item, role));
  const isParts = list.every((item) => isObject(item) && item["role"] === undefined && isPart(item));
  if (list.length > 0 && isParts) return buildAll(role, {}, list);
  return list.flatMap((item) => (isObject(item) ? toMessages(item, role) : toChatMessages(item, role)));
}

function isPart(item: JsonObject): boolean {
  const { type, text } = item;
  return hasToolPart(item) || type === "text" || (type === undefined && typeof text === "string");
}

function fromContainer(value: JsonObject, role: ChatRole): JsonObject[] | undefined {
  const { messages, contents, config, content, output, choices, generations, candidates, prompt, system, update } =
    value;
  if (Array.isArray(messages)) return [...fromSystem(system), ...fromList(messages, role)];
  if (Array.isArray(contents)) {
    const instruction = instructionOf(value) ?? instructionOf(toObject(config));
    return [...fromSystem(instruction), ...fromList(contents, role)];
  }
  if (Array.isArray(output) && value["object"] === "response")
    return joinAnswer(fromList(output, role)) as JsonObject[];
  const answers = [choices, candidates].find((list) => Array.isArray(list));
  if (answers !== undefined) return answers.slice(0, 1).flatMap((answer) => toChatMessages(answer, "assistant"));
  if (Array.isArray(generations)) {
    const [batch] = generations;
    const [one] = Array.isArray(batch) ? batch : generations;
    return isObject(one) ? toChatMessages(one["message"] ?? one["text"], "assistant") : undefined;
  }
  if (isObject(content) && Array.isArray(content["parts"])) return toMessages(content, role);
  if (isObject(value["new_message"])) return toMessages(value["new_message"], role);
  if (isObject(update) && Array.isArray(update["messages"])) return fromContainer(update, role);
  if (typeof prompt === "string" && value["role"] === undefined) {
    return [...fromSystem(system), { role, content: prompt }];
  }
  return undefined;
}

/** A system prompt outside the messages: text, a list of blocks (Anthropic), or an object with parts (Gemini). */
function fromSystem(system: JsonValue | undefined): JsonObject[] {
  if (system === undefined || system === null || system === "") return [];
  const parts = isObject(system) ? system["parts"] : system;
  return Array.isArray(parts) ? buildAll("system", {}, parts) : [{ role: "system", content: toTextOf(system) }];
}

function instructionOf(body: JsonObject): JsonValue | undefined {
  return body["system_instruction"] ?? body["systemInstruction"];
}

/** Joins the items of an answer into one message, which comes first. Other messages follow. */
export function joinAnswer(messages: readonly JsonValue[]): JsonValue[] {
  const own = messages.map(toObject).filter(({ role }) => role === "assistant");
  const others = messages.filter((message) => toObject(message)["role"] !== "assistant");
  if (own.length < 2) return [...own, ...others];
  const content = own.map((message) => toParts(message["content"]));
  const calls = own.map((message) => toParts(message["tool_calls"]));
  const firstCall = calls.findIndex((list) => list.length > 0);
  const isLate = firstCall >= 0 && content.slice(firstCall + 1).some((list) => list.length > 0);
  const thoughts = own.flatMap(({ reasoning_content }) => toThoughts(reasoning_content));
  // Spread, and not assigned: a key may be called `__proto__`.
  const joined = own.reduce((before, message) => ({ ...before, ...message }), {});
  const { tool_calls: _calls, reasoning_content: _thoughts, ...rest } = joined;
  return [
    {
      ...rest,
      content: joinSingle(content.flat()),
      ...(firstCall < 0 ? {} : { tool_calls: calls.flat() }),
      ...fromThoughts(thoughts),
      ...(isLate ? { [AFTER_CALLS]: true } : {}),
    },
    ...others,
  ];
}

function toParts(value: JsonValue | undefined): JsonValue[] {
  if (Array.isArray(value)) return value;
  return value === undefined || value === null || value === "" ? [] : [value];
}

/** How many answers there are besides the one that `toChatMessages` takes. */
export function countAlternatives(value: JsonValue | undefined): number {
  if (!isObject(value) || Array.isArray(value["messages"]) || Array.isArray(value["contents"])) return 0;
  const { choices, candidates, generations } = value;
  const [batch] = Array.isArray(generations) ? generations : [];
  const list = [choices, candidates, Array.isArray(batch) ? batch : generations].find(Array.isArray) ?? [];
  return Math.max(0, list.length - 1);
}

const ROLES: readonly (readonly [role: string, words: readonly string[]])[] = [
  ["user", ["human", "HumanMessage", "HumanMessageChunk"]],
  ["assistant", ["ai", "AIMessage", "AIMessageChunk", "model"]],
  ["system", ["SystemMessage"]],
  ["tool", ["ToolMessage"]],
];

/** Rewrites one message. A message with results of tools becomes one for each, and one for the rest. */
function toMessages(message: JsonObject, role: ChatRole): JsonObject[] {
  const { kwargs, id, lc } = message;
  if (lc !== undefined && isObject(kwargs) && Array.isArray(id)) {
    return toMessages({ type: id.at(-1) ?? null, ...kwargs }, role);
  }
  if (isObject(message["message"])) return toMessages(message["message"], "assistant");
  const type = toText(message["type"]);
  if (type === "function_call" || type === "reasoning") return buildAll("assistant", {}, [message]);
  if (type === "function_call_output") {
    return [{ role: "tool", tool_call_id: message["call_id"] ?? null, content: toTextOf(message["output"]) }];
  }
  const word = toName(message["role"]) ?? (type === "" ? undefined : type);
  const isUnnamed = word === undefined || word === "message";
  const own = isUnnamed ? role : (ROLES.find(([, words]) => words.includes(word))?.[0] ?? word);
  const parts = message["parts"] ?? message["content"];
  if (Array.isArray(parts)) return buildAll(own, message, parts);
  if (parts === undefined && word === undefined) return [{ role: own, content: canonicalize(message) }];
  return buildAll(own, message, parts === undefined || parts === null ? [] : [{ type: "text", text: toTextOf(parts) }]);
}

/** The messages of a list of parts, in its order: each result is one, and so is each stretch between them. */
function buildAll(role: string, message: JsonObject, list: readonly JsonValue[]): JsonObject[] {
  const messages: JsonObject[] = [];
  // The fields around the parts belong to the first message that is not a result.
  let fields: JsonObject | undefined = message;
  for (const stretch of toStretches(list)) {
    const parts = toChatParts(stretch);
    messages.push(...parts.results);
    if (parts.results.length > 0) continue;
    messages.push(build(role, fields ?? {}, parts));
    fields = undefined;
  }
  const hasWords = callsOf(message).length > 0 || thoughtsOf(message).length > 0;
  if (fields !== undefined && (messages.length === 0 || hasWords)) messages.push(build(role, message, toChatParts([])));
  return messages;
}

function toStretches(list: readonly JsonValue[]): JsonValue[][] {
  const stretches: JsonValue[][] = [];
  for (const [index, part] of list.entries()) {
    const before = list[index - 1];
    if (before !== undefined && isResultPart(before) === isResultPart(part)) stretches.at(-1)?.push(part);
    else stretches.push([part]);
  }
  return stretches;
}

function build(role: string, message: JsonObject, { content, calls, thoughts, isLate }: ChatParts): JsonObject {
  const allCalls = [...callsOf(message), ...calls];
  return {
    role,
    content: content.every((part) => typeof part === "string") ? joinSingle(content) : content,
    ...(allCalls.length === 0 ? {} : { tool_calls: allCalls }),
    ...fromThoughts([...thoughtsOf(message), ...toThoughts(thoughts)]),
    ...toolFields(role, message),
    ...othersOf(message),
    ...(isLate ? { [AFTER_CALLS]: true } : {}),
  };
}

/** LangChain keeps what is not its own in `additional_kwargs`. */
function thoughtsOf({ reasoning_content: own, additional_kwargs: more }: JsonObject): string[] {
  return toThoughts(own ?? toObject(more)["reasoning_content"]);
}

/** One thought is a text, as vendors send it; several are a list of texts, so that they stay apart. */
function fromThoughts(thoughts: readonly string[]): JsonObject {
  const [first] = thoughts;
  if (first === undefined) return {};
  return { reasoning_content: thoughts.length > 1 ? [...thoughts] : first };
}

/** Fields that this file reads, and a trace's notes on a message: its place, its vendor, how it was made. */
const HANDLED = new Set([
  ...["role", "content", "parts", "type", "lc", "id", "index", "finish_reason", "message", "name", "status"],
  ...["tool_calls", "additional_kwargs", "function_call", "reasoning_content", "tool_call_id", "toolCallId"],
  ...["response_metadata", "usage_metadata", "example", "gen_ai.system", "gen_ai.message.index", "event.name"],
  ...["providerOptions", "providerMetadata", "phase"],
]);

/** Fields for the reader to count. A tool that failed says so in a field that OpenAI's messages do not have. */
function othersOf(message: JsonObject): JsonObject {
  const others = Object.entries(message).filter(([name]) => !HANDLED.has(name));
  const { status, name, role, additional_kwargs: more } = message;
  const kept = Object.entries(toObject(more)).filter(([field]) => !HANDLED.has(field));
  return {
    ...Object.fromEntries(kept),
    ...Object.fromEntries(others),
    ...(status === "error" ? { status } : {}),
    ...(role !== "tool" && role !== undefined && typeof name === "string" ? { name } : {}),
  };
}

/** One text is a text; several are a list, which the reader joins and counts. */
function joinSingle(content: readonly JsonValue[]): JsonValue {
  const [first = ""] = content;
  if (content.length < 2 && typeof first === "string") return first;
  return content.map((part) => (typeof part === "string" ? { type: "text", text: part } : part));
}

function toolFields(role: string, message: JsonObject): JsonObject {
  if (role !== "tool") return {};
  const id = message["tool_call_id"] ?? message["id"] ?? message["toolCallId"];
  const name = toName(message["name"]);
  return defined({ tool_call_id: id, name });
}

function callsOf({ tool_calls: calls, additional_kwargs: more, function_call: legacy }: JsonObject): JsonValue[] {
  const kept = toObject(more);
  const own = toList(calls).length > 0 ? calls : kept["tool_calls"];
  const list = Array.isArray(own) ? own : [legacy, kept["function_call"]].filter(isObject).slice(0, 1);
  return list.map((call) => {
    if (!isObject(call)) return call;
    const body = isObject(call["function"]) ? call["function"] : call;
    const { name = null, arguments: own = null, args, input } = body;
    const given = own ?? args ?? input ?? null;
    const text = isObject(given) ? JSON.stringify(given) : given;
    return { id: call["id"] ?? null, function: { name, arguments: text } };
  });
}
