// The model interface of the OpenAI Agents SDK as far as we use it. Our own types, so that compiling does not need the package;
// test/types compares them with the real ones. Specification: `@openai/agents-core`, `Model`.

/** Any model of the SDK. */
export interface AnyAgentsModel {
  getResponse(request: never): Promise<unknown>;
  getStreamedResponse(request: never): AsyncIterable<unknown>;
  getRetryAdvice?(failure: never): unknown;
}

/** A request of the runner, without fields that are not recorded, such as `tracing` and `retry`. */
export interface AgentsRequest {
  readonly systemInstructions?: string | undefined;
  readonly input: unknown;
  readonly previousResponseId?: string | undefined;
  readonly conversationId?: string | undefined;
  readonly modelSettings?: unknown;
  readonly tools?: readonly unknown[] | undefined;
  readonly outputType?: unknown;
  readonly handoffs?: readonly unknown[] | undefined;
  readonly prompt?: unknown;
  readonly signal?: AbortSignal | undefined;
}

/** An item that we write. Items that we only pass on keep their shape. */
export type OutputItem =
  | { type: "message"; role: "assistant"; status: "completed"; content: { type: "output_text"; text: string }[] }
  | { type: "function_call"; callId: string; name: string; arguments: string; status: "completed" }
  | { type: "reasoning"; content: { type: "input_text"; text: string }[] };

export interface TokenCounts {
  requests: number;
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
}

/** The tokens of one call, as the runner adds them up. */
export interface Counts extends TokenCounts {
  inputTokensDetails: Record<string, number>[];
  outputTokensDetails: Record<string, number>[];
}

export interface AgentsUsage extends Counts {
  requestUsageEntries: undefined;
  add(other: TokenCounts): void;
}

export interface AgentsResponse {
  usage: AgentsUsage;
  output: OutputItem[];
  responseId?: string;
}

export type AgentsStreamEvent =
  | { type: "response_started" }
  | { type: "output_text_delta"; delta: string }
  | { type: "response_done"; response: { id: string; usage: Counts; output: OutputItem[] } };

/** A model's advice to the runner about an error that it threw. */
export interface RetryAdvice {
  suggested?: boolean;
  retryAfterMs?: number;
  reason?: string;
  replaySafety?: "unsafe" | "safe";
  responseStarted?: boolean;
}

/** A model as we make one. */
export interface AgentsModel {
  getResponse(request: AgentsRequest): Promise<AgentsResponse>;
  getStreamedResponse(request: AgentsRequest): AsyncIterable<AgentsStreamEvent>;
  getRetryAdvice(failure: { readonly error: unknown }): Promise<RetryAdvice | undefined> | RetryAdvice | undefined;
}
