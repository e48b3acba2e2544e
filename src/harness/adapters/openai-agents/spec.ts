// The model interface of the OpenAI Agents SDK as far as we use it. Types of our own, so that nobody needs the package to compile;
// test/types holds them against the real ones. Specification: `@openai/agents-core`, `Model`.

/** Any model of the SDK. */
export interface AnyAgentsModel {
  getResponse(request: never): Promise<unknown>;
  getStreamedResponse(request: never): AsyncIterable<unknown>;
  getRetryAdvice?(failure: never): unknown;
}

/** What the runner asks. Only what is recorded is named; `tracing` and `retry` are the runner's own affair. */
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

/** An item that we write. Items we only pass on have the shape they came with. */
export type OutputItem =
  | {
      type: "message";
      role: "assistant";
      status: "completed";
      content: { type: "output_text"; text: string }[];
    }
  | { type: "function_call"; callId: string; name: string; arguments: string; status: "completed" }
  | { type: "reasoning"; content: { type: "input_text"; text: string }[] };

/** Tokens of one call, as the runner adds them up. */
export interface AgentsUsage {
  requests: number;
  inputTokens: number;
  outputTokens: number;
  totalTokens: number;
  inputTokensDetails: Record<string, number>[];
  outputTokensDetails: Record<string, number>[];
  requestUsageEntries: undefined;
  add(other: { requests: number; inputTokens: number; outputTokens: number; totalTokens: number }): void;
}

export interface AgentsResponse {
  usage: AgentsUsage;
  output: OutputItem[];
  responseId?: string;
}

export type AgentsStreamEvent =
  | { type: "response_started" }
  | { type: "output_text_delta"; delta: string }
  | {
      type: "response_done";
      response: {
        id: string;
        usage: {
          requests: number;
          inputTokens: number;
          outputTokens: number;
          totalTokens: number;
          inputTokensDetails: Record<string, number>[];
          outputTokensDetails: Record<string, number>[];
        };
        output: OutputItem[];
      };
    };

/** What the runner asks a model about an error of its own. */
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
