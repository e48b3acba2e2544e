// The language-model interface of the AI SDK as far as we use it, versions 2, 3 and 4 (AI SDK 5, 6 and 7). Types of our own, so
// that nobody needs the package to compile; test/types holds them against the real ones. Specification: `@ai-sdk/provider`.

import type { JsonObject } from "../../../core/index.js";

export type SpecVersion = "v2" | "v3" | "v4";

/** Vendor's fields by vendor: `providerOptions` on the way in, `providerMetadata` on the way out. */
export type Metadata = Readonly<Record<string, JsonObject>>;

/** Any language model of the SDK. */
export interface AnyAiSdkModel {
  readonly specificationVersion: SpecVersion;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<unknown>;
}

/** One part of a message; which fields it has depends on `type`. */
export interface PromptPart {
  readonly type: string;
  readonly [field: string]: unknown;
}

export interface PromptMessage {
  readonly role: string;
  readonly content: unknown;
  readonly providerOptions?: unknown;
}

/** What a model is called with. `headers` and `abortSignal` are no part of what is recorded. */
export interface AiSdkCallOptions {
  readonly prompt: readonly PromptMessage[];
  readonly maxOutputTokens?: number | undefined;
  readonly temperature?: number | undefined;
  readonly stopSequences?: readonly string[] | undefined;
  readonly topP?: number | undefined;
  readonly topK?: number | undefined;
  readonly presencePenalty?: number | undefined;
  readonly frequencyPenalty?: number | undefined;
  readonly responseFormat?: { readonly type: string } | undefined;
  readonly seed?: number | undefined;
  readonly tools?: readonly { readonly type: string; readonly name: string }[] | undefined;
  readonly toolChoice?: { readonly type: string } | undefined;
  readonly includeRawChunks?: boolean | undefined;
  readonly abortSignal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string | undefined>> | undefined;
  readonly reasoning?: string | undefined;
  readonly providerOptions?: unknown;
}

/** A part of an answer that we write. Parts we only pass on (files, sources …) have the same shape as in the SDK. */
export type AnswerPart =
  | { type: "text"; text: string; providerMetadata?: Record<string, JsonObject> }
  | { type: "reasoning"; text: string; providerMetadata?: Record<string, JsonObject> }
  | {
      type: "tool-call";
      toolCallId: string;
      toolName: string;
      input: string;
      dynamic?: boolean;
      providerMetadata?: Record<string, JsonObject>;
    };

export interface TokenUsage {
  inputTokens: {
    total: number | undefined;
    noCache: number | undefined;
    cacheRead: number | undefined;
    cacheWrite: number | undefined;
  };
  outputTokens: { total: number | undefined; text: number | undefined; reasoning: number | undefined };
}

export interface FinishReason {
  unified: "stop" | "length" | "content-filter" | "tool-calls" | "error" | "other";
  raw: string | undefined;
}

/** A warning of the vendor's adapter, passed on. */
export interface Warning {
  type: "other";
  message: string;
}

/** How an answer ended and what is told of it beside its content. */
export interface ResultHead {
  finishReason: FinishReason;
  usage: TokenUsage;
  warnings: Warning[];
  providerMetadata?: Record<string, JsonObject>;
  response?: { id?: string; timestamp?: Date; modelId?: string };
}

export interface GenerateResult extends ResultHead {
  content: AnswerPart[];
}

/** The same as version 2 has it, whose counts are flat and whose reasons are words. */
export interface GenerateResultV2 extends Omit<GenerateResult, "finishReason" | "usage"> {
  finishReason: FinishReason["unified"] | "unknown";
  usage: FlatUsage;
}

export interface FlatUsage {
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  totalTokens: number | undefined;
  reasoningTokens?: number;
  cachedInputTokens?: number;
}

/** A piece of a streamed answer. */
export type StreamPart =
  | { type: "stream-start"; warnings: Warning[] }
  | { type: "response-metadata"; id?: string; timestamp?: Date; modelId?: string }
  | { type: "text-start" | "text-end"; id: string; providerMetadata?: Record<string, JsonObject> }
  | { type: "text-delta"; id: string; delta: string }
  | { type: "reasoning-start" | "reasoning-end"; id: string; providerMetadata?: Record<string, JsonObject> }
  | { type: "reasoning-delta"; id: string; delta: string }
  | { type: "tool-input-start"; id: string; toolName: string; dynamic?: boolean }
  | { type: "tool-input-delta"; id: string; delta: string }
  | { type: "tool-input-end"; id: string }
  | Extract<AnswerPart, { type: "tool-call" }>
  | { type: "finish"; usage: TokenUsage; finishReason: FinishReason; providerMetadata?: Record<string, JsonObject> }
  | { type: "error"; error: unknown };

export interface StreamResult {
  stream: ReadableStream<StreamPart>;
}

export type StreamPartV2 =
  | Exclude<StreamPart, { type: "finish" }>
  | {
      type: "finish";
      usage: FlatUsage;
      finishReason: GenerateResultV2["finishReason"];
      providerMetadata?: Record<string, JsonObject>;
    };

export interface StreamResultV2 {
  stream: ReadableStream<StreamPartV2>;
}

/** What a model of the version gives. */
export type GenerateResultOf<V extends SpecVersion> = V extends "v2" ? GenerateResultV2 : GenerateResult;
export type StreamResultOf<V extends SpecVersion> = V extends "v2" ? StreamResultV2 : StreamResult;

/** A model as we make one. Typed as version 3, which AI SDK 6 and 7 take; see `ToAiSdkOptions` for others. */
export interface AiSdkModel {
  readonly specificationVersion: "v3";
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: Record<string, RegExp[]>;
  doGenerate(options: AiSdkCallOptions): Promise<GenerateResult>;
  doStream(options: AiSdkCallOptions): Promise<StreamResult>;
}

/** A model as we make one for AI SDK 5, which takes no other. */
export interface AiSdkModelV2 {
  readonly specificationVersion: "v2";
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: Record<string, RegExp[]>;
  doGenerate(options: AiSdkCallOptions): Promise<GenerateResultV2>;
  doStream(options: AiSdkCallOptions): Promise<StreamResultV2>;
}
