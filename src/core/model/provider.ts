// The provider seam: a vendor's wire, a script, a recorder and a cassette all implement this interface.

import type { JsonObject } from "../canon/value.js";
import type { AssistantMessage, LlmMessage } from "./message.js";
import type { Usage } from "./usage.js";

/** A tool as the model sees it. `schema` is a JSON Schema (draft 2020-12 or 7) of the arguments object. */
export interface LlmToolDefinition {
  name: string;
  description: string;
  schema: JsonObject;
}

/** Settings of a model call. A vendor that lacks one of these ignores it. */
export interface LlmSettings {
  /** Overrides the model the provider was built with. Not part of a cassette's `settingsHash`. */
  model?: string;
  temperature?: number;
  topP?: number;
  /** Most tokens of the answer. */
  maxTokens?: number;
  /** Most tokens of thinking: a whole number of 1,024 or more, below `maxTokens`. */
  thinkingBudget?: number;
  stop?: string[];
  seed?: number;
  toolChoice?: "auto" | "none" | "required" | { name: string };
  /** A JSON Schema the answer should follow. */
  responseFormat?: { name: string; schema: JsonObject };
}

/** For adapters: the names of all settings. Others are refused, since they would have no effect. */
export const SETTING_NAMES: readonly string[] = Object.keys({
  model: true,
  temperature: true,
  topP: true,
  maxTokens: true,
  thinkingBudget: true,
  stop: true,
  seed: true,
  toolChoice: true,
  responseFormat: true,
} satisfies Record<keyof LlmSettings, true>);

/** The request for one turn. */
export interface LlmTurnRequest {
  /**
   * The whole conversation, the system message first. The caller's list may grow after the call has returned, so a provider copies
   * what it keeps. The messages in it never change.
   */
  readonly messages: readonly LlmMessage[];
  readonly tools?: readonly LlmToolDefinition[];
  readonly settings?: LlmSettings;
  readonly signal?: AbortSignal;
  /** Time limit of this call in ms, independent of `signal`. */
  readonly timeoutMs?: number;
}

/** Why the model stopped, the same words for every vendor. */
export type StopReason = "stop" | "toolUse" | "length" | "contentFilter" | "error";

/** The answer of one turn, as plain JSON. `costUsd` is present if the price of the model is known. */
export interface LlmTurnResponse {
  message: AssistantMessage;
  /** Present if the model called no tool. */
  finalAnswer?: string;
  stopReason: StopReason;
  /** True if the content is a refusal from a separate field (OpenAI); `stopReason` is `contentFilter`. */
  isRefusal?: boolean;
  usage?: Usage;
  costUsd?: number;
  /** The model that answered, in the vendor's words. */
  model?: string;
}

/** A piece of a streamed answer, for display. It may hold half a surrogate pair; only the response is reliable. */
export type LlmStreamDelta =
  | { type: "text-delta"; text: string }
  | { type: "reasoning-delta"; text: string }
  /** `index` is the call's place in `toolCalls`. `id` and `name` come once. */
  | { type: "tool-call-delta"; index: number; id?: string; name?: string; argumentsText: string };

/** An event of a streamed call: deltas, and at the end exactly one response. */
export type LlmStreamEvent = LlmStreamDelta | { type: "response"; response: LlmTurnResponse };

/**
 * A provider of model turns. Only `turn` is required.
 *
 * Contract: `turn` rejects with an `AgentError` or any other error, which the loop passes on unchanged. The response belongs to the
 * caller, who may freeze it. `destroy` is called at most once, after the last turn.
 *
 * `stream` is the same call in pieces. It begins with the first `next()`, which reads the request. It rejects as `turn` does and ends
 * with the response that `turn` would give. Leaving the iteration early ends the call.
 */
export interface LlmProviderAdapter {
  /** Vendor and model, such as `openai:gpt-4o`; a recording keeps it. */
  readonly name?: string;
  turn(request: LlmTurnRequest): Promise<LlmTurnResponse>;
  stream?(request: LlmTurnRequest): AsyncIterable<LlmStreamEvent>;
  destroy?(): Promise<void> | void;
  /** The same provider with this key. It is not destroyed. Only the provider knows what a credential is. */
  withCredential?(credential: unknown): LlmProviderAdapter;
}

export function providerName(provider: LlmProviderAdapter): string {
  return provider.name ?? "unnamed";
}
