// Everything a run can say about itself, as one closed union. Traces, receipts and telemetry are projections of it.

import type { JsonObject } from "../canon/value.js";
import type { LlmMessage, LlmToolCall } from "../model/message.js";
import type { LlmTurnResponse, StopReason } from "../model/provider.js";
import type { Usage } from "../model/usage.js";

/** What happened, before the log stamps it. */
export type EventBody =
  | { type: "run-start"; goal: string }
  | { type: "turn-start" }
  /**
   * A piece of an answer on its way, of an agent with `streaming`. It reaches the listener and is not kept: the log is the same
   * with and without streaming. Its `seq` is that of the kept event which follows it.
   */
  | { type: "llm-delta"; kind: "text" | "reasoning" | "tool-call"; text: string }
  | { type: "llm-turn"; stopReason: StopReason; toolCalls: number; usage?: Usage; costUsd?: number; model?: string }
  | { type: "llm-error"; name: string; code?: string; message: string }
  /** `arguments` as the model wrote them; `refused` when no tool got to see them. */
  | { type: "tool-call"; callId: string; tool: string; arguments: JsonObject; refused?: true }
  | { type: "tool-result"; callId: string; tool: string; content: string; cut: number }
  /** `masked` when the model read "tool unavailable" in place of `message`. */
  | { type: "tool-failed"; callId: string; tool: string; message: string; masked?: true; field?: string }
  | { type: "tool-rejected"; callId: string; tool: string }
  /** A policy forbids the call. The run ends, and the model never reads of it. */
  | { type: "tool-denied"; callId: string; tool: string; message: string }
  /** The run ended while the call was in flight. It may have had effects, and nobody took its result. */
  | { type: "tool-interrupted"; callId: string; tool: string }
  /** The run or the visit ended before the call began: an abort, a denial, `onToolError: "fail"` or a cap. */
  | { type: "tool-skipped"; callId: string; tool: string }
  /** A policy hook changed what would have happened; `hook` says on which side of the tool. */
  | { type: "tool-policy"; callId: string; tool: string; hook: "call" | "result"; action: string }
  /** One turn more than `limit` in a row asked for refused calls alone. */
  | { type: "corrections-exhausted"; limit: number }
  | { type: "budget-exhausted"; cap: "turns" | "toolCalls" | "tokens" | "costUsd"; limit: number }
  /** An edge of the plan is taken; `edge` is its place in the plan's list. */
  | { type: "handoff"; from: string; to: string; edge: number }
  /** The next agent was entered `limit` times before, so the plan ends here. */
  | { type: "handoff-cycle"; from: string; to: string; limit: number }
  | { type: "provider-destroy-failed"; provider: string; message: string }
  | { type: "run-end"; stop: "finished" | "budget" | "failed" };

/** What stands behind an event, for what is made of it on the spot (a receipt). It is not kept. */
export type EventDetail =
  /** `messages` is the conversation, which ends with the prompt at this moment and only grows later. */
  | { kind: "turn"; response: LlmTurnResponse; messages?: readonly LlmMessage[] }
  /** `content` is what the model reads; absent where it reads nothing: a call that was denied, interrupted or skipped. */
  | { kind: "tool"; call: LlmToolCall; content?: string };

/** An event as it is kept and handed to listeners. */
export type AgentEvent = EventBody & {
  /** 0, 1, 2 … within one run. */
  seq: number;
  /** Milliseconds since the epoch, from the runtime's clock. */
  at: number;
  /** Hybrid logical clock: sorts as text in the order things happened, whatever the wall clock did. See `time/hlc`. */
  hlc: string;
  /** 32 hex digits, of one `run` call; "" for what belongs to the runtime itself. */
  runId: string;
  agentId: string;
  /** The turn it belongs to; -1 before the first. */
  turnIndex: number;
};
