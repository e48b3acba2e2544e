// `playhead/langchain`: wraps any provider as a LangChain chat model, and any LangChain chat model as a provider, so that `createAgent`
// records and replays.

import type { CallbackManagerForLLMRun } from "@langchain/core/callbacks/manager";
import type { BaseLanguageModelInput } from "@langchain/core/language_models/base";
import {
  BaseChatModel,
  type BaseChatModelCallOptions,
  type BaseChatModelParams,
  type BindToolsInput,
} from "@langchain/core/language_models/chat_models";
import {
  AIMessage,
  AIMessageChunk,
  HumanMessage,
  SystemMessage,
  ToolMessage,
  type BaseMessage,
} from "@langchain/core/messages";
import { ChatGenerationChunk, type ChatResult } from "@langchain/core/outputs";
import type { Runnable } from "@langchain/core/runnables";
import { convertToOpenAITool } from "@langchain/core/utils/function_calling";
import {
  assertKnownOptions,
  defined,
  providerName,
  type LlmMessage,
  type LlmProviderAdapter,
  type LlmSettings,
  type LlmToolDefinition,
  type LlmTurnRequest,
} from "../core/index.js";
import {
  assertProvider,
  chatModelProvider,
  createLangChainChunks,
  readLangChainMessages,
  readLangChainOptions,
  readLangChainTool,
  replayLangChainTools,
  writeLangChainMessage,
  writeLangChainResponse,
  type FromLangChainOptions,
  type TapeHandle,
  type WrittenChunk,
  type WrittenMessage,
} from "../harness/index.js";

/** The options of {@link cassetteChatModel}. */
interface CassetteChatModelOptions extends Pick<BaseChatModelParams, "callbacks" | "tags" | "metadata"> {
  /** Settings for every request. Options of a call override them. */
  readonly settings?: LlmSettings;
  /** Names of fields, call options and block types to drop if a conversation cannot hold them. Without this, they are errors. */
  readonly ignore?: readonly string[];
}

/** The options of one call of a {@link CassetteChatModel}, with LangChain's names. */
interface CassetteChatCallOptions extends BaseChatModelCallOptions {
  tools?: LlmToolDefinition[];
  model?: string;
  temperature?: number;
  topP?: number;
  maxTokens?: number;
  seed?: number;
  response_format?: Record<string, unknown>;
}

const OPTIONS = ["settings", "ignore", "callbacks", "tags", "metadata"];

/** A LangChain chat model that answers through a provider. Created by {@link cassetteChatModel}. */
export class CassetteChatModel extends BaseChatModel<CassetteChatCallOptions> {
  readonly #provider: LlmProviderAdapter;
  readonly #settings: LlmSettings;
  readonly #ignore: readonly string[];

  constructor(provider: LlmProviderAdapter, options: CassetteChatModelOptions = {}) {
    const { settings = {}, ignore = [], ...params } = options;
    assertProvider(provider, "cassetteChatModel");
    super(params);
    this.#provider = provider;
    this.#settings = settings;
    this.#ignore = ignore;
    // Without a streaming provider, the model streams through `_generate`.
    this.disableStreaming = provider.stream === undefined;
  }

  override _llmType(): string {
    return "playhead";
  }

  override getLsParams(): { ls_provider: string; ls_model_name: string; ls_model_type: "chat" } {
    return { ls_provider: "playhead", ls_model_name: providerName(this.#provider), ls_model_type: "chat" };
  }

  /** Binds tools. The provider gets the names, descriptions and JSON Schemas that LangChain derives from them. */
  override bindTools(
    tools: BindToolsInput[],
    options: Partial<CassetteChatCallOptions> = {},
  ): Runnable<BaseLanguageModelInput, AIMessageChunk, CassetteChatCallOptions> {
    const bound = tools.map((tool) => readLangChainTool(convertToOpenAITool(tool), tool, this.#ignore));
    return this.withConfig({ ...options, tools: bound });
  }

  override async _generate(messages: BaseMessage[], options: this["ParsedCallOptions"]): Promise<ChatResult> {
    const response = await this.#provider.turn(this.#request(messages, options));
    const fields = writeLangChainResponse(response);
    // Structured output needs a chunk, but a chunk cannot hold arguments that are not an object.
    const Message = fields.invalid_tool_calls.length === 0 ? AIMessageChunk : AIMessage;
    const message = new Message(fields as never);
    return { generations: [{ text: response.message.content, message }] };
  }

  override async *_streamResponseChunks(
    messages: BaseMessage[],
    options: this["ParsedCallOptions"],
    runManager?: CallbackManagerForLLMRun,
  ): AsyncGenerator<ChatGenerationChunk> {
    const writer = createLangChainChunks();
    for await (const event of this.#stream(this.#request(messages, options))) {
      const written = event.type === "response" ? writer.end(event.response) : writer.delta(event);
      if (written === undefined) continue;
      const chunk = toChunk(written);
      yield chunk;
      await runManager?.handleLLMNewToken(written.text, undefined, undefined, undefined, undefined, { chunk });
    }
  }

  async *#stream(request: LlmTurnRequest) {
    if (this.#provider.stream !== undefined) yield* this.#provider.stream(request);
    else yield { type: "response" as const, response: await this.#provider.turn(request) };
  }

  #request(messages: readonly BaseMessage[], options: this["ParsedCallOptions"]): LlmTurnRequest {
    const { tools, settings } = readLangChainOptions(options, this.#ignore);
    const all = { ...this.#settings, ...settings };
    const { signal } = options;
    return {
      messages: readLangChainMessages(messages, this.#ignore),
      ...defined({ tools }),
      ...(Object.keys(all).length === 0 ? {} : { settings: all }),
      ...defined({ signal }),
    };
  }
}

/** LangChain's own method, but it forces the model to call the tool. A free choice could give an answer in prose instead of structure. */
CassetteChatModel.prototype.withStructuredOutput = function structured(this: CassetteChatModel, ...given: never[]) {
  const bindTools = (tools: BindToolsInput[]) => this.bindTools(tools, { tool_choice: choiceOf(tools) });
  const forcing = Object.create(this, { bindTools: { value: bindTools } }) as never;
  return BaseChatModel.prototype.withStructuredOutput.apply(forcing, given as never);
} as never;

/** An object, since a tool may be named `auto`. */
function choiceOf([tool]: readonly BindToolsInput[]): Record<string, unknown> {
  const { name } = (tool as { function: { name: string } }).function;
  return { type: "function", function: { name } };
}

/**
 * Wraps a provider as a LangChain chat model, for `createAgent` and everything else that takes one. The provider may be a recorder, a
 * cassette, or the provider of a `useCassette` handle. Throws `AgentError` `invalid-options` for an unknown option.
 */
export function cassetteChatModel(
  provider: LlmProviderAdapter,
  options: CassetteChatModelOptions = {},
): CassetteChatModel {
  assertKnownOptions("cassetteChatModel", options, OPTIONS);
  return new CassetteChatModel(provider, options);
}

/**
 * Wraps a LangChain chat model as a provider. A turn rejects like the model. It rejects with `HarnessError` `cannot-convert` for an answer
 * that a Playhead conversation cannot hold, and for a setting that belongs in the model's constructor.
 */
export function fromLangChain(model: BaseChatModel, options: FromLangChainOptions = {}): LlmProviderAdapter {
  assertKnownOptions("fromLangChain", options, ["name", "ignore"]);
  return chatModelProvider(model, toMessage, options);
}

/** Converts LangChain messages to Playhead messages. Throws `HarnessError` `cannot-convert` for content that those cannot hold. */
export function fromLangChainMessages(
  messages: readonly BaseMessage[],
  options: { readonly ignore?: readonly string[] } = {},
): LlmMessage[] {
  return readLangChainMessages(messages, options.ignore);
}

/** Converts Playhead messages to LangChain messages. */
export function toLangChainMessages(messages: readonly LlmMessage[]): BaseMessage[] {
  return messages.map((message) => toMessage(writeLangChainMessage(message)));
}

/**
 * The tools for `createAgent`. If the handle replays tools (`replay: "both"` or `"tools"`), each call gives its recorded result and the
 * real tool is never called. Otherwise these are the same tools. A call that was not recorded ends the run with `TapeMissError`.
 * Artifacts and `Command` updates of tools are not recorded.
 */
export function replayTools<T extends object>(handle: TapeHandle, tools: readonly T[]): T[] {
  return replayLangChainTools(handle, tools, (fields) => new ToolMessage(fields));
}

function toMessage({ type, fields }: WrittenMessage): BaseMessage {
  switch (type) {
    case "system":
      return new SystemMessage(fields);
    case "human":
      return new HumanMessage(fields);
    case "ai":
      return new AIMessage(fields);
    case "tool":
      return new ToolMessage(fields);
  }
}

function toChunk({ text, fields }: WrittenChunk): ChatGenerationChunk {
  return new ChatGenerationChunk({ text, message: new AIMessageChunk(fields as never) });
}
