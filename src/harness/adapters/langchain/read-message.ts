// Messages of LangChain as ours. Dropped: ids, `response_metadata`, a tool message's `artifact` and `metadata`, the agent's name on an
// AI message, and the place of text among other blocks. Everything else that our messages cannot hold is refused by name.

import {
  canonicalize,
  findMessageFlaw,
  isPlainObject,
  type AssistantMessage,
  type JsonObject,
  type LlmMessage,
  type LlmToolCall,
  type Reasoning,
} from "../../../core/index.js";
import { assistantMessage, toLoose, type Loose } from "../loose.js";
import { blocksOf, partOf, refuseBlock, textOf, textsOf, thoughtOf, typeOf } from "./blocks.js";
import { isEmpty, listOf, refuse, textAt, type Ignored } from "./fields.js";
import { SAID } from "./write-message.js";

/** Blocks that repeat `tool_calls`. */
const CALL_BLOCK = /^(tool_use|tool_call|tool_call_chunk|invalid_tool_call|input_json_delta|function_call)$/;

/** Loose of an answer's `additional_kwargs` that are not content; the last holds ids that OpenAI's Responses API gives calls. */
const BOOKKEEPING = [
  ...["id", "type", "role", "model", "stop_reason", "stop_sequence", "stop_details", "usage", "container"],
  "__openai_function_call_ids__",
];

/** A conversation of LangChain's messages as ours. Throws `HarnessError` `cannot-convert`. For adapters. */
export function readMessages(messages: readonly unknown[], ignore: Ignored = []): LlmMessage[] {
  const names = new Map<string, string>();
  let calls = 0;
  return messages.map((value, index) => {
    const message = readMessage(toLoose(value), `message ${index}`, { ignore, names, calls });
    if (message.role === "assistant") {
      calls += message.toolCalls?.length ?? 0;
      for (const { id, name } of message.toolCalls ?? []) names.set(id, name);
    }
    return message;
  });
}

interface Reading {
  readonly ignore: Ignored;
  /** The names of the calls so far, by id. */
  readonly names: ReadonlyMap<string, string>;
  /** The number of calls so far, from which a call without an id gets a unique one. */
  readonly calls: number;
}

function readMessage(fields: Loose, place: string, reading: Reading): LlmMessage {
  const { ignore, names } = reading;
  const type = typeOf(fields);
  if (type === "ai") return readAnswer(fields, place, reading);
  assertNoKwargs(fields, place, ignore);
  switch (type) {
    case "system":
      assertUnnamed(fields, place, ignore);
      return { role: "system", content: textsOf(fields["content"], place, ignore) };
    case "human": {
      assertUnnamed(fields, place, ignore);
      const { content } = fields;
      if (typeof content === "string") return { role: "user", content };
      const blocks = blocksOf(content, place).filter((block) => !ignore.includes(typeOf(block)));
      return { role: "user", content: blocks.map((block) => partOf(block, place, ignore)) };
    }
    case "tool": {
      const toolCallId = textAt(fields["tool_call_id"], `${place} (tool_call_id)`);
      const { name = names.get(toolCallId) ?? "" } = fields;
      return {
        role: "tool",
        toolCallId,
        name: textAt(name, `${place} (name)`),
        content: textsOf(fields["content"], place, ignore),
        ...(fields["status"] === "error" ? { isError: true as const } : {}),
      };
    }
  }
  return refuse(place, `is of type "${type}"`);
}

/** An AI message. Calls with malformed arguments come last. */
export function readAnswer(
  fields: Loose,
  place: string,
  { ignore, calls: before }: Pick<Reading, "ignore" | "calls">,
): AssistantMessage {
  const kwargs = toLoose(fields["additional_kwargs"]);
  assertNoKwargs(fields, place, ignore, ["tool_calls", "reasoning_content", SAID, ...BOOKKEEPING]);
  const reasoning: Reasoning[] = [];
  let content = "";
  for (const block of blocksOf(fields["content"], place)) {
    const type = typeOf(block);
    const thought = thoughtOf(block, place, ignore);
    if (thought !== undefined) reasoning.push(thought);
    else if (type === "text") content += textOf(block, place, ignore);
    else if (!CALL_BLOCK.test(type) && !ignore.includes(type)) refuseBlock(block, place);
  }
  const plain = kwargs["reasoning_content"];
  if (reasoning.length === 0 && typeof plain === "string" && plain !== "")
    reasoning.push({ type: "text", text: plain });
  return asStreamed(assistantMessage(content, readCalls(fields, place, before), reasoning), kwargs[SAID]);
}

function readCalls(fields: Loose, place: string, before: number): LlmToolCall[] {
  const valid = listOf(fields["tool_calls"]).map(toLoose);
  const invalid = listOf(fields["invalid_tool_calls"]).map(toLoose);
  const idOf = ({ id }: Loose, index: number) => (typeof id === "string" ? id : `call-${before + index}`);
  return [
    ...valid.map((call, index): LlmToolCall => {
      const { name, args } = call;
      if (!isPlainObject(args)) return refuse(place, `has a call of ${String(name)} whose arguments must be an object`);
      return { id: idOf(call, index), name: textAt(name, `${place} (a call)`), arguments: args as JsonObject };
    }),
    ...invalid.map((call, index): LlmToolCall => {
      const { name = "", args = "" } = call;
      return {
        id: idOf(call, valid.length + index),
        name: textAt(name, `${place} (a call)`),
        arguments: {},
        malformedArguments: textAt(args, `${place} (the arguments of a call)`),
      };
    }),
  ];
}

/** The message that a streamed answer carries because its chunks could not hold it, unless the chunks were changed since. */
function asStreamed(message: AssistantMessage, value: unknown): AssistantMessage {
  if (toLoose(value)["role"] !== "assistant" || findMessageFlaw(value) !== undefined) return message;
  const said = value as AssistantMessage;
  if (said.content !== message.content || visibleCalls(said) !== visibleCalls(message)) return message;
  const thoughts = visibleThoughts(message);
  return thoughts === "" || thoughts === visibleThoughts(said) ? said : message;
}

/** The calls as chunks can hold them. */
function visibleCalls({ toolCalls = [] }: AssistantMessage): string {
  const calls = toolCalls.map(({ id, name, arguments: args, malformedArguments }) => ({
    ...{ id, name, args },
    isTorn: malformedArguments !== undefined,
  }));
  return canonicalize(calls);
}

function visibleThoughts({ reasoning = [] }: AssistantMessage): string {
  return reasoning.map((thought) => (thought.type === "text" ? thought.text : "")).join("");
}

function assertNoKwargs(fields: Loose, place: string, ignore: Ignored, known: readonly string[] = []): void {
  const kwargs = toLoose(fields["additional_kwargs"]);
  const other = Object.keys(kwargs).find(
    (key) => !known.includes(key) && !ignore.includes(key) && !isEmpty(kwargs[key]),
  );
  if (other !== undefined) refuse(place, `has ${other} in additional_kwargs`, other);
}

function assertUnnamed(fields: Loose, place: string, ignore: Ignored): void {
  if (!isEmpty(fields["name"]) && !ignore.includes("name")) refuse(place, "has a name", "name");
}
