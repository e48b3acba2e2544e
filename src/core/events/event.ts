// The events of a run, as one closed union. Traces, receipts and telemetry are projections of it.

import type { JsonObject } from "../canon/value.js";
import type { LlmMessage, LlmToolCall } from "../model/message.js";
import type { LlmTurnResponse, StopReason } from "../model/provider.js";
import type { Usage } from "../model/usage.js";

/** An event before the log stamps it. */
export type EventBody =
  | { type: "run-start"; goal: string }
  | { type: "turn-start" }
  /**
   * A piece of a streamed answer, for an agent with `streaming`. It reaches the listener but is not kept, so the log is the same
   * with and without streaming. Its `seq` is that of the next kept event.
   */
  | { type: "llm-delta"; kind: "text" | "reasoning" | "tool-call"; text: string }
  | { type: "llm-turn"; stopReason: StopReason; toolCalls: number; usage?: Usage; costUsd?: number; model?: string }
  | { type: "llm-error"; name: string; code?: string; message: string }
  /** `arguments` are as the model wrote them. `refused`: no tool saw them. */
  | { type: "tool-call"; callId: string; tool: string; arguments: JsonObject; refused?: true }
  | { type: "tool-result"; callId: string; tool: string; content: string; cut: number }
  /** `masked`: the model read "tool unavailable" in place of `message`. */
  | { type: "tool-failed"; callId: string; tool: string; message: string; masked?: true; field?: string }
  | { type: "tool-rejected"; callId: string; tool: string }
  /** A policy forbids the call. The run ends, and the model reads nothing. */
  | { type: "tool-denied"; callId: string; tool: string; message: string }
  /** The run ended while the call was in flight. The call may have had effects; its result was dropped. */
  | { type: "tool-interrupted"; callId: string; tool: string }
  /** The run or the visit ended before the call began: an abort, a denial, `onToolError: "fail"` or a cap. */
  | { type: "tool-skipped"; callId: string; tool: string }
  /** A policy changed the call or its result; `hook` says which. */
  | { type: "tool-policy"; callId: string; tool: string; hook: "call" | "result"; action: string }
  /** More than `limit` turns in a row asked only for refused calls. */
  | { type: "corrections-exhausted"; limit: number }
  | { type: "budget-exhausted"; cap: "turns" | "toolCalls" | "tokens" | "costUsd"; limit: number }
  /** An edge of the plan is taken. `edge` is its index in the plan's list. */
  | { type: "handoff"; from: string; to: string; edge: number }
  /** The next agent was already entered `limit` times, so the plan ends here. */
  | { type: "handoff-cycle"; from: string; to: string; limit: number }
  | { type: "provider-destroy-failed"; provider: string; message: string }
  | { type: "run-end"; stop: "finished" | "budget" | "failed" };

/** Values behind an event, for a receipt that is made at once. They are not kept. */
export type EventDetail =
  /** `messages` is the conversation. At this moment it ends with the prompt; later it only grows. */
  | { kind: "turn"; response: LlmTurnResponse; messages?: readonly LlmMessage[] }
  /** `content` is what the model reads; absent for a call that was denied, interrupted or skipped. */
  | { kind: "tool"; call: LlmToolCall; content?: string };

/** An event as it is kept and passed to listeners. */
export type AgentEvent = EventBody & {
  /** 0, 1, 2 … within one run. */
  seq: number;
  /** Milliseconds since the epoch, from the runtime's clock. */
  at: number;
  /** Stamp of a hybrid logical clock: sorts as text in the order of events, whatever the wall clock did. See `time/hlc`. */
  hlc: string;
  /** 32 hex digits, one id per `run` call; "" for events of the runtime itself. */
  runId: string;
  agentId: string;
  /** The turn it belongs to; -1 before the first. */
  turnIndex: number;
};
