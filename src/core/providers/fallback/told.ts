// Carries the steps of a chain next to its answer, so that a recording can keep them without a new field in the response.

import type { LlmErrorKind } from "../../errors.js";
import type { LlmTurnResponse } from "../../model/provider.js";
import { judgeFailure, type FallbackAttempt, type Tried } from "./failure.js";

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

/** The steps to an answer of `answered`, after `attempts`. Undefined if they say no more than the answer itself. */
export function stepsTo(
  attempts: readonly FallbackAttempt[],
  answered: Tried,
  model = answered.model,
): AnswerStep[] | undefined {
  if (attempts.length === 0 && model === answered.model) return undefined;
  return [...attempts.map(toStep), { outcome: "answered", provider: answered.provider, model: answered.model }];
}

function toStep(attempt: FallbackAttempt): AnswerStep {
  const { outcome, provider, model } = attempt;
  if (attempt.outcome !== "failed") return { outcome, provider, model };
  return { outcome, provider, model, kind: judgeFailure(attempt.error).kind };
}
