// The language-model interface of the AI SDK as far as we use it, versions 2, 3 and 4 (AI SDK 5, 6 and 7). Our own types, so that
// compiling does not need the package; test/types compares them with the real ones. Specification: `@ai-sdk/provider`.

import type { JsonObject } from "../../../core/index.js";

export type SpecVersion = "v2" | "v3" | "v4";

/** Any language model of the SDK. */
export interface AnyAiSdkModel {
  readonly specificationVersion: SpecVersion;
  readonly provider: string;
  readonly modelId: string;
  doGenerate(options: never): PromiseLike<unknown>;
  doStream(options: never): PromiseLike<unknown>;
}

export interface PromptMessage {
  readonly role: string;
  readonly content: unknown;
  readonly providerOptions?: unknown;
}

/** The argument of a call. `headers` and `abortSignal` are not recorded. */
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

/** A part of an answer that we write. Parts that we only pass on (files, sources …) have the SDK's own shape. */
type AnswerPart =
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
type Warning = { type: "other"; message: string };

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

/** A result of version 2, which has flat counts, and finish reasons that are words. */
interface GenerateResultV2 extends Omit<GenerateResult, "finishReason" | "usage"> {
  finishReason: FinishReason["unified"] | "unknown";
  usage: FlatUsage;
}

interface FlatUsage {
  inputTokens: number | undefined;
  outputTokens: number | undefined;
  totalTokens: number | undefined;
  reasoningTokens?: number;
  cachedInputTokens?: number;
}

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

type StreamPartV2 =
  | Exclude<StreamPart, { type: "finish" }>
  | (Pick<GenerateResultV2, "usage" | "finishReason" | "providerMetadata"> & { type: "finish" });

export interface StreamResult<Part = StreamPart> {
  stream: ReadableStream<Part>;
}

/** The results of a model of the version. */
export type GenerateResultOf<V extends SpecVersion> = V extends "v2" ? GenerateResultV2 : GenerateResult;
export type StreamResultOf<V extends SpecVersion> = StreamResult<V extends "v2" ? StreamPartV2 : StreamPart>;

interface MadeModel<V extends SpecVersion> {
  readonly specificationVersion: V;
  readonly provider: string;
  readonly modelId: string;
  readonly supportedUrls: Record<string, RegExp[]>;
  doGenerate(options: AiSdkCallOptions): Promise<GenerateResultOf<V>>;
  doStream(options: AiSdkCallOptions): Promise<StreamResultOf<V>>;
}

/** A model as we make one. Typed as version 3, which AI SDK 6 and 7 accept; see `ToAiSdkOptions` for others. */
export type AiSdkModel = MadeModel<"v3">;

/** A model as we make one for AI SDK 5, which accepts no other version. */
export type AiSdkModelV2 = MadeModel<"v2">;
