// Carries the steps of a chain next to its answer, so that a recording can keep them without a new field in the response.

import type { LlmErrorKind } from "../../errors.js";
import type { LlmTurnResponse } from "../../model/provider.js";

/** One step of a chain on the way to an answer. The last step of a list is `answered`, and no other one is. */
export interface AnswerStep {
  readonly outcome: "failed" | "skipped" | "answered";
  readonly provider: string;
  /** The model that was requested. */
  readonly model: string;
  /** The kind of the failure. */
  readonly kind?: LlmErrorKind;
}

/** Kept by the response object, as nothing else connects the walk of a chain with the one who reads its answer. */
const told = new WeakMap<LlmTurnResponse, readonly AnswerStep[]>();

/** Notes the steps that led to `response`. Undefined removes an earlier note, since a script may give one object twice. */
export function noteSteps(response: LlmTurnResponse, steps: readonly AnswerStep[] | undefined): void {
  if (steps === undefined) told.delete(response);
  else told.set(response, steps);
}

/** The steps that led to `response`. Undefined for one attempt, answered by the model that was requested. */
export function stepsOf(response: LlmTurnResponse): readonly AnswerStep[] | undefined {
  return told.get(response);
}
