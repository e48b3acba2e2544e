// The provider seam: whatever stands before a model (a vendor's wire, a script, a recorder, a cassette) is one of these.

import type { JsonObject } from "../canon/value.js";
import type { AssistantMessage, LlmMessage } from "./message.js";
import type { Usage } from "./usage.js";

/** A tool as the model sees it. `schema` is a JSON Schema (draft 2020-12 or 7) of the arguments object. */
export interface LlmToolDefinition {
  name: string;
  description: string;
  schema: JsonObject;
}

/** What a caller may ask of a model beside the conversation. A vendor that lacks one of these ignores it. */
export interface LlmSettings {
  /** Overrides the model the provider was built with. Not part of a cassette's `settingsHash`. */
  model?: string;
  temperature?: number;
  topP?: number;
  /** The most tokens the answer may have. */
  maxTokens?: number;
  stop?: string[];
  seed?: number;
  toolChoice?: "auto" | "none" | "required" | { name: string };
  /** A JSON Schema the answer should follow. */
  responseFormat?: { name: string; schema: JsonObject };
}

/** What a provider is asked for one turn. */
export interface LlmTurnRequest {
  /**
   * The whole conversation, the system message first. The list belongs to the caller and may grow after this call has
   * returned: a provider reads it during the call and copies what it keeps. The messages in it never change.
   */
  readonly messages: readonly LlmMessage[];
  readonly tools?: readonly LlmToolDefinition[];
  readonly settings?: LlmSettings;
  readonly signal?: AbortSignal;
  /** Milliseconds for this call alone, whatever `signal` says. */
  readonly timeoutMs?: number;
}

/** Why the model stopped, whatever its vendor calls it. */
export type StopReason = "stop" | "toolUse" | "length" | "contentFilter" | "error";

/** The answer of one turn, as plain JSON. `costUsd` is there where the price of the model is known. */
export interface LlmTurnResponse {
  message: AssistantMessage;
  /** Present when the model asked for no tool. */
  finalAnswer?: string;
  stopReason: StopReason;
  /** True where the whole content is a refusal that the vendor has a field of its own for (OpenAI); `stopReason` is `contentFilter`. */
  isRefusal?: boolean;
  usage?: Usage;
  costUsd?: number;
  /** The model that answered, in the vendor's words. */
  model?: string;
}

/** A piece of an answer on its way. For showing: pieces may cut a surrogate pair in two, and the response alone counts. */
export type LlmStreamDelta =
  | { type: "text-delta"; text: string }
  | { type: "reasoning-delta"; text: string }
  /** `index` is the call's place in `toolCalls`. `id` and `name` come once, as the vendor gave them. */
  | { type: "tool-call-delta"; index: number; id?: string; name?: string; argumentsText: string };

/** What a streamed call says: deltas, and last, exactly once, the response. */
export type LlmStreamEvent = LlmStreamDelta | { type: "response"; response: LlmTurnResponse };

/**
 * The interface a vendor is wrapped in; `turn` alone is required.
 *
 * Contract: `turn` may wait; it rejects with an `AgentError` (or whatever it likes: the loop passes it on unchanged); the
 * response belongs to the caller, who may freeze it. `destroy` is called at most once, after the last turn.
 *
 * `stream` is the same call, watched: it begins with the first `next()`, which reads the request; it rejects as `turn` does,
 * and the response is the one that `turn` would give. Leaving the iteration early ends the call.
 */
export interface LlmProviderAdapter {
  /** Vendor and model, such as `openai:gpt-4o`; a recording keeps it. */
  readonly name?: string;
  turn(request: LlmTurnRequest): Promise<LlmTurnResponse>;
  stream?(request: LlmTurnRequest): AsyncIterable<LlmStreamEvent>;
  destroy?(): Promise<void> | void;
}

/** The name of a provider that may not have given itself one. */
export function providerName(provider: LlmProviderAdapter): string {
  return provider.name ?? "unnamed";
}
