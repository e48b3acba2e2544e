// The events of a run: the public transcript of a session. The messages of the provider are internal.

import type { JsonObject } from "../canon/value.js";
import type { BudgetCap } from "../loop/budget.js";
import type { UserInput, UserMessage, UserText } from "./input.js";

/** Where in a turn an input or an overlay entered. */
export type Placement = "turn-start" | "step-start" | "step-end";

/** The cap that ended a turn. */
export interface TurnStop {
  readonly kind: "limit";
  readonly limit: BudgetCap;
}

export type JobStatus = "running" | "completed" | "aborted" | "cancelled" | "error";

interface JobFields {
  readonly delegateToolCallId: string;
  readonly subagent: string;
  readonly task_id?: string;
}

/** The number of parts of an overlay, and their kinds in `preview`. Events never contain its text. */
export interface OverlayPreview {
  readonly type: UserInput["type"];
  readonly partCount: number;
  readonly preview: string;
}

/**
 * One event. The first event of a run is the accepted input. At the boundaries `turn-start`, `step-start` and `step-end`, the run waits
 * until the consumer requests the next event. `turn-end`, `turn-abort` and `turn-error` end a run.
 */
export type SessionEvent =
  | UserText
  | UserMessage
  | { readonly type: "runtime-input"; readonly input: UserInput; readonly placement: Placement }
  | { readonly type: "turn-start" }
  | { readonly type: "step-start" }
  | { readonly type: "step-end" }
  | { readonly type: "turn-end"; readonly stop?: TurnStop; readonly unapplied?: readonly UserInput[] }
  | { readonly type: "turn-abort"; readonly unapplied?: readonly UserInput[] }
  | {
      readonly type: "turn-error";
      readonly message: string;
      readonly code: string;
      readonly retryable: boolean;
      readonly unapplied?: readonly UserInput[];
    }
  | { readonly type: "assistant-reasoning"; readonly text: string }
  | { readonly type: "assistant-text"; readonly text: string }
  /** With `streaming`, precedes the complete text. Live only. */
  | { readonly type: "assistant-reasoning-delta"; readonly text: string }
  | { readonly type: "assistant-text-delta"; readonly text: string }
  | {
      readonly type: "tool-call";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: JsonObject;
    }
  /** `output` is the text that the model reads. */
  | {
      readonly type: "tool-result";
      readonly toolCallId: string;
      readonly toolName: string;
      readonly output: string;
      readonly isError?: true;
    }
  | {
      readonly type: "overlay-accepted" | "overlay-expired";
      readonly placement: Placement;
      readonly input: OverlayPreview;
    }
  | (JobFields & {
      readonly type: "subagent-job-start";
      readonly run_in_background: boolean;
      readonly description?: string;
    })
  /** Live only. */
  | (JobFields & { readonly type: "subagent-job-update"; readonly eventType: SessionEvent["type"] })
  | (JobFields & { readonly type: "subagent-job-end"; readonly status: JobStatus; readonly error?: string });

const LIVE_ONLY: readonly SessionEvent["type"][] = [
  "assistant-text-delta",
  "assistant-reasoning-delta",
  "subagent-job-update",
];

/** True for an event that is not stored. */
export function isLiveOnly({ type }: SessionEvent): boolean {
  return LIVE_ONLY.includes(type);
}
