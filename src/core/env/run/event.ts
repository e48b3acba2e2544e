// The events of a run as the environment sees them: a projection of the run's log, and of what was stored.

import type { JsonObject } from "../../canon/value.js";
import type { EventBody, EventDetail } from "../../events/event.js";
import type { StopReason } from "../../model/provider.js";
import type { Usage } from "../../model/usage.js";
import type { BudgetCap } from "../../loop/budget.js";
import { AgentError } from "../../errors.js";
import { isThrown, thrownText } from "../../text/thrown.js";
import { TOOL_UNAVAILABLE } from "../../tools/tool.js";
import type { StepNotice } from "../hook.js";
import type { ConversationRef } from "../storage/storage.js";

export type EnvEventBody =
  | { readonly type: "step-start" }
  | { readonly type: "text-delta"; readonly text: string }
  | { readonly type: "thinking-delta"; readonly text: string }
  /** `args` are as the model wrote them. `refused`: no tool received them. */
  | {
      readonly type: "tool-call";
      readonly callId: string;
      readonly tool: string;
      readonly args: JsonObject;
      readonly refused?: true;
    }
  /** `output` is the text that the model reads. */
  | {
      readonly type: "tool-result";
      readonly callId: string;
      readonly tool: string;
      readonly output: string;
      readonly isError: boolean;
    }
  /** The step is stored. */
  | {
      readonly type: "step-end";
      readonly stopReason: StopReason;
      readonly toolCalls: number;
      readonly usage?: Usage;
      readonly costUsd?: number;
      readonly model?: string;
    }
  | { readonly type: "step-error"; readonly code?: string; readonly message: string }
  /** `messages` messages were archived under the name `archive`. */
  | { readonly type: "compaction"; readonly archive: string; readonly messages: number; readonly summary: string }
  /** Nothing was archived, and the run continues. */
  | { readonly type: "compaction-failed"; readonly reason: string }
  /** The last event of a run that finished or reached a cap. */
  | { readonly type: "done"; readonly finalAnswer: string; readonly budgetExhausted?: BudgetCap }
  /** The last event of a run that failed. `code` is "unknown" for an error without one. */
  | { readonly type: "failed"; readonly code: string; readonly message: string; readonly retryable: boolean };

/** An event of a run of one conversation. Frozen. `step` counts from 0 in each run, and is -1 before the first. */
export type EnvEvent = EnvEventBody & {
  readonly agent: string;
  readonly conversationId: string;
  /** 32 hex digits. */
  readonly runId: string;
  readonly step: number;
};

type TurnBody = Extract<EventBody, { type: "llm-turn" }>;

/** Projects the log of one run. Without a sink it does nothing. */
export class EventProjection {
  readonly #place: { readonly agent: string; readonly conversationId: string };
  readonly #runId: string;
  readonly #event: ((event: EnvEvent) => void) | undefined;
  /** Set once the hook of the run is known. */
  notice: ((notice: StepNotice) => void) | undefined;
  /** False while the model writes a summary, because that turn is not a step. */
  isStep = true;
  #step = -1;
  #turn: TurnBody | undefined;
  /** The step that has begun and is neither stored nor reported as failed. */
  #open: number | undefined;

  constructor({ id, agent }: ConversationRef, runId: string, event: ((event: EnvEvent) => void) | undefined) {
    this.#place = { agent, conversationId: id };
    this.#runId = runId;
    this.#event = event;
  }

  take(turnIndex: number, body: EventBody, detail: EventDetail | undefined): void {
    if (!this.isStep) return;
    this.#step = turnIndex;
    switch (body.type) {
      case "turn-start":
        this.#open = turnIndex;
        this.#notice({ kind: "start" });
        {
          this.#tell({ type: "step-start" });
          return;
        }
      case "llm-turn":
        this.#turn = body;
        return;
      case "llm-error": {
        this.#failStep(body.code, body.message);
        return;
      }
      default:
        if (this.#event === undefined) return;
        const told = toBody(body, detail);
        if (told !== undefined) this.#tell(told);
    }
  }

  /** The step is stored. */
  endStep(): void {
    if (this.#turn === undefined) return;
    const { stopReason, toolCalls, usage, costUsd, model } = this.#turn;
    this.#turn = undefined;
    this.#open = undefined;
    this.#notice({ kind: "complete", toolCalls });
    if (this.#event === undefined) return;
    const told: { -readonly [Key in keyof StepEnd]: StepEnd[Key] } = { type: "step-end", stopReason, toolCalls };
    if (usage !== undefined) told.usage = Object.freeze({ ...usage });
    if (costUsd !== undefined) told.costUsd = costUsd;
    if (model !== undefined) told.model = model;
    this.#tell(told);
  }

  tell(body: EnvEventBody): void {
    this.#tell(body);
  }

  /** The run failed, possibly within a step. */
  fail(error: unknown): void {
    const known = isThrown(error, AgentError) ? error : undefined;
    const code = known?.code ?? codeOf(error);
    const message = thrownText(error);
    if (this.#open !== undefined) this.#failStep(code, message);
    this.#tell({ type: "failed", code: code ?? "unknown", message, retryable: known?.retryable ?? false });
  }

  #failStep(code: string | undefined, message: string): void {
    this.#open = undefined;
    this.#notice({ kind: "error", code, message });
    this.#tell(code === undefined ? { type: "step-error", message } : { type: "step-error", code, message });
  }

  #tell(body: EnvEventBody): void {
    if (this.#event === undefined) return;
    this.#event(Object.freeze({ ...body, ...this.#place, runId: this.#runId, step: this.#step }));
  }

  #notice(
    body:
      | { kind: "start" }
      | { kind: "complete"; toolCalls: number }
      | { kind: "error"; code: string | undefined; message: string },
  ): void {
    this.notice?.(Object.freeze({ ...body, ...this.#place, step: this.#step }));
  }
}

type StepEnd = Extract<EnvEventBody, { type: "step-end" }>;

function toBody(body: EventBody, detail: EventDetail | undefined): EnvEventBody | undefined {
  switch (body.type) {
    case "llm-delta":
      if (body.kind === "tool-call") return undefined;
      return { type: body.kind === "text" ? "text-delta" : "thinking-delta", text: body.text };
    case "tool-call": {
      const { callId, tool, arguments: args } = body;
      const told = { type: "tool-call", callId, tool, args } as const;
      return body.refused === true ? { ...told, refused: true } : told;
    }
    case "tool-result":
      return toResult(body, body.content, false);
    case "tool-failed": {
      const read = detail?.kind === "tool" ? detail.content : undefined;
      return toResult(body, read ?? (body.masked === true ? TOOL_UNAVAILABLE : body.message), true);
    }
    case "tool-rejected":
      return toResult(body, TOOL_UNAVAILABLE, true);
    default:
      return undefined;
  }
}

function toResult({ callId, tool }: { callId: string; tool: string }, output: string, isError: boolean): EnvEventBody {
  return { type: "tool-result", callId, tool, output, isError };
}

function codeOf(error: unknown): string | undefined {
  const code = typeof error === "object" && error !== null ? (error as { code?: unknown }).code : undefined;
  return typeof code === "string" ? code : undefined;
}
