// `extensions.answeredBy`: which steps of a fallback chain led to the answer of a turn, so that a replay can report the same attempts. Its
// shape is checked here, since the loader does not check it.

import { isPlainObject, showValue, stepsOf, type AnswerStep, type LlmTurnResponse } from "../../core/index.js";
import { extensionsOf, type Cassette } from "../file/format.js";
import type { StreamNoted } from "./record.js";

/** The steps that led to the answer of one turn. The last one is the answer. */
export interface AnsweredTurn {
  turn: number;
  steps: AnswerStep[];
}

/** How an answer came: its stream, and the steps that led to it. */
export interface HowAnswered {
  readonly streamed: StreamNoted | undefined;
  readonly steps: AnswerStep[] | undefined;
}

/** The steps to record for a response. Undefined if the chain took one step and the requested model answered. */
export function recordedSteps(response: LlmTurnResponse): AnswerStep[] | undefined {
  return stepsOf(response)?.map((step) => {
    return { ...step, provider: step.provider.toWellFormed(), model: step.model.toWellFormed() };
  });
}

/** The readable records by turn. `flaw` is the first record that was left out, with the reason. */
export interface RecordedAnswers {
  readonly steps: ReadonlyMap<number, readonly AnswerStep[]>;
  readonly flaw: string | undefined;
}

/** Reads and checks the record of each turn. Never throws. */
export function readAnsweredBy(cassette: Cassette): RecordedAnswers {
  const value = extensionsOf(cassette)["answeredBy"];
  const steps = new Map<number, readonly AnswerStep[]>();
  if (value === undefined) return { steps, flaw: undefined };
  if (!Array.isArray(value)) return { steps, flaw: "it is not a list" };
  let flaw: string | undefined;
  for (const [index, item] of value.entries()) {
    const wrong = findFlaw(item, cassette.entries.length, steps);
    if (wrong === undefined) steps.set((item as AnsweredTurn).turn, (item as AnsweredTurn).steps);
    else flaw ??= `item ${index} ${wrong}`;
  }
  return { steps, flaw };
}

function findFlaw(item: unknown, turns: number, known: ReadonlyMap<number, unknown>): string | undefined {
  if (!isPlainObject(item)) return "is not an object";
  const { turn, steps, ...others } = item;
  const [unknown] = Object.keys(others);
  if (unknown !== undefined) return `has the unknown field ${showValue(unknown)}`;
  if (!Number.isSafeInteger(turn) || Number(turn) < 0 || Number(turn) >= turns || known.has(Number(turn)))
    return "has a turn that is not in the recording or is listed twice";
  if (!Array.isArray(steps) || steps.length === 0) return "has no steps";
  const wrong = steps.findIndex((step, index) => !isStep(step, index === steps.length - 1));
  return wrong === -1 ? undefined : `has a step ${wrong} that cannot be read`;
}

const KINDS: Readonly<Record<Exclude<AnswerStep["kind"], undefined>, true>> = {
  auth: true,
  permission: true,
  "not-found": true,
  "bad-request": true,
  "context-length": true,
  "content-filter": true,
  "rate-limit": true,
  overloaded: true,
  unavailable: true,
  timeout: true,
  unknown: true,
};

function isStep(step: unknown, isLast: boolean): boolean {
  if (!isPlainObject(step)) return false;
  const { outcome, provider, model, kind, ...others } = step;
  const isOutcome = isLast ? outcome === "answered" : outcome === "failed" || outcome === "skipped";
  const isKind = kind === undefined || (outcome === "failed" && Object.hasOwn(KINDS, kind as string));
  const isText = typeof provider === "string" && typeof model === "string";
  return isOutcome && isKind && isText && Object.keys(others).length === 0;
}
