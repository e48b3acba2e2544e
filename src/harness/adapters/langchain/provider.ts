// Any chat model of LangChain as one of our providers. A setting that LangChain takes only in the model's constructor is refused.

import {
  AgentError,
  defined,
  showValue,
  type LlmProviderAdapter,
  type LlmStreamDelta,
  type LlmStreamEvent,
  type LlmTurnRequest,
} from "../../../core/index.js";
import { toLoose } from "../loose.js";
import { readResponse } from "./answer.js";
import { blocksOf, typeOf } from "./blocks.js";
import { writeChoice, writeExtras, writeTool } from "./call-options.js";
import { EXTRAS, listOf, refuse, type Ignored } from "./fields.js";
import { writeMessage, type WrittenMessage } from "./write-message.js";

/** The part of a chat model, or of one with bound tools, that is needed. */
export interface ChatModelLike {
  invoke(messages: never, options?: never): Promise<unknown>;
  stream(messages: never, options?: never): Promise<AsyncIterable<unknown>>;
  bindTools?(tools: never, options?: never): ChatModelLike;
}

/** The options of `fromLangChain`. */
export interface FromLangChainOptions {
  /** Vendor and model, kept in a recording. Default: the chat model's own. */
  readonly name?: string;
  /** Names of fields and block types that may be dropped from an answer. */
  readonly ignore?: readonly string[];
}

/** A chat model as a provider; `build` makes a message of LangChain's own class. For adapters. */
export function chatModelProvider(
  model: ChatModelLike,
  build: (written: WrittenMessage) => unknown,
  { name = nameOf(model), ignore = [] }: FromLangChainOptions = {},
): LlmProviderAdapter {
  assertModel(model);
  const open = (request: LlmTurnRequest) => {
    const { messages, signal, timeoutMs, settings: { stop } = {} } = request;
    // The run's callbacks already listen to our model, and would hear every token twice.
    const options = { callbacks: [], ...defined({ stop, signal, timeout: timeoutMs }) };
    return {
      bound: bind(model, request),
      input: messages.map((message) => build(writeMessage(message))) as never,
      options: options as never,
      calls: messages.flatMap((message) => (message.role === "assistant" ? (message.toolCalls ?? []) : [])).length,
    };
  };
  return {
    name,
    async turn(request) {
      const { bound, input, options, calls } = open(request);
      return readResponse(await bound.invoke(input, options), ignore, calls);
    },
    async *stream(request) {
      const { bound, input, options, calls } = open(request);
      yield* readChunks(await bound.stream(input, options), request.signal, ignore, calls);
    },
  };
}

function assertModel(model: unknown): void {
  const { invoke, stream } = toLoose(model);
  if (typeof invoke === "function" && typeof stream === "function") return;
  const kinds = { embedQuery: "an embedding model", turn: "a Playhead provider" };
  const known = ([field]: [string, string]): boolean => typeof toLoose(model)[field] === "function";
  const what = Object.entries(kinds).find(known)?.[1] ?? showValue(model);
  throw new AgentError("invalid-options", `fromLangChain needs a chat model, not ${what}`, {
    hint: `Pass a chat model, such as new ChatOpenAI({ model: "gpt-5" }). A model name is not enough.`,
  });
}

async function* readChunks(
  chunks: AsyncIterable<unknown>,
  signal: AbortSignal | undefined,
  ignore: Ignored,
  calls: number,
): AsyncGenerator<LlmStreamEvent, void, undefined> {
  let whole: { concat(chunk: unknown): unknown } | undefined;
  for await (const chunk of chunks) {
    yield* deltasOf(chunk);
    whole = whole === undefined ? (chunk as typeof whole) : (whole.concat(chunk) as typeof whole);
  }
  // Some models end an aborted stream without an error. Its beginning is not an answer.
  signal?.throwIfAborted();
  if (whole === undefined) refuse("the answer", "is a stream without a chunk");
  yield { type: "response", response: readResponse(whole, ignore, calls) };
}

function deltasOf(chunk: unknown): LlmStreamDelta[] {
  const fields = toLoose(chunk);
  const said = blocksOf(fields["content"], "the answer").flatMap((block): LlmStreamDelta[] => {
    const { text, reasoning, thinking } = block;
    if (typeOf(block) === "text" && typeof text === "string") return [{ type: "text-delta", text }];
    const thought = reasoning ?? thinking;
    return typeof thought === "string" && thought !== "" ? [{ type: "reasoning-delta", text: thought }] : [];
  });
  const calls = listOf(fields["tool_call_chunks"]).map((item, place): LlmStreamDelta => {
    const { index, id, name, args } = toLoose(item);
    return {
      type: "tool-call-delta",
      index: typeof index === "number" ? index : place,
      ...(typeof id === "string" ? { id } : {}),
      ...(typeof name === "string" ? { name } : {}),
      argumentsText: typeof args === "string" ? args : "",
    };
  });
  return [...said, ...calls];
}

/** The model with the request's tools. Throws `cannot-convert` for a setting that only the model's constructor takes. */
function bind(model: ChatModelLike, { tools = [], settings = {} }: LlmTurnRequest): ChatModelLike {
  const { toolChoice, stop: _, ...others } = settings;
  const [other] = Object.keys(others).filter((name) => name !== EXTRAS);
  if (other !== undefined)
    refuse("the request", `has the setting ${other}, which only the chat model's constructor takes`);
  if (tools.length === 0) return model;
  if (model.bindTools === undefined) return refuse("the chat model", "has no bindTools");
  const choice = toolChoice === undefined ? {} : { tool_choice: writeChoice(toolChoice) };
  const options = { ...choice, ...writeExtras(settings) };
  return model.bindTools(tools.map(writeTool) as never, options as never);
}

function nameOf(model: ChatModelLike): string {
  const fields = toLoose(model);
  const type: unknown = typeof fields["_llmType"] === "function" ? fields["_llmType"].call(model) : undefined;
  const id = [fields["model"], fields["modelName"]].find((value) => typeof value === "string" && value !== "");
  return `langchain:${typeof type === "string" ? type : "unnamed"}${typeof id === "string" ? `:${id}` : ""}`;
}
