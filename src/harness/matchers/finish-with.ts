// toFinishWith: why a run ended, its final answer, and the agent that gave it.

import { defined, isPlainObject, type StopReason } from "../../core/index.js";
import { equalityOf } from "./arguments.js";
import { cassetteOf, findCarrier } from "./carrier.js";
import { handleAdvice } from "../text/rerun-commands.js";
import { misuse, undecided, type MatcherContext, type MatcherResult } from "./matcher.js";
import { eventsOf, RUN_HINT, runOf, type RunLike } from "./run-result.js";
import { describeValue, showExpected } from "../text/describe.js";
import { cutText } from "../text/hide.js";

const NAME = "toFinishWith";

/**
 * Why a run ended: `budget` if a cap ended the last agent, `cycle` if a plan entered an agent too often. In all other cases, why
 * the model stopped in the last turn. A cassette knows only the last turn.
 */
export type FinishReason = StopReason | "budget" | "cycle";

/** The expected end of a run. At least one field is required. */
export interface Finish {
  readonly reason?: FinishReason;
  /** The final answer: the whole text, or an asymmetric matcher. */
  readonly answer?: string | object;
  /** The id of the agent that answered last. */
  readonly agent?: string;
}

const MODEL_REASONS = ["stop", "toolUse", "length", "contentFilter", "error"] as const satisfies StopReason[];
const REASONS: readonly string[] = [...MODEL_REASONS, "budget", "cycle"] satisfies FinishReason[];

/** The actual end of a run. Unknown fields are absent. */
type Finished = { readonly [K in keyof Finish]?: string };

export function finishWith(
  this: MatcherContext,
  received: unknown,
  expected: unknown,
  ...rest: unknown[]
): MatcherResult {
  const wanted = parseFinish(expected, rest);
  const was = finishOf(received);
  const unknown = wanted.filter(([field]) => was[field] === undefined).map(([field]) => field);
  const isEqual = equalityOf(this);
  const other = wanted.filter(([field, value]) => was[field] !== undefined && !isEqual(was[field], value));
  const wantedText = wanted.map(([field, value]) => `${field} ${cutText(showExpected(value))}`).join(", ");
  if (other.length === 0 && unknown.length > 0) {
    const wish = this.isNot === true ? "not to finish" : "to finish";
    const message = () =>
      `expected the run ${wish} with ${wantedText}, but its ${unknown.join(" and ")} ${unknown.length === 1 ? "is" : "are"} unknown.\n` +
      "A cassette does not record its agent or why its run ended. Pass the result of run().";
    return undecided(this, message);
  }
  if (other.length === 0) {
    const message = () =>
      `expected the run not to finish with ${wantedText}, but it does.\nRemove .not, or correct the agent.`;
    return { pass: true, message };
  }
  const otherText = other.map(([field]) => `its ${field} is ${cutText(showExpected(was[field]))}`).join(", ");
  return {
    pass: false,
    message: () =>
      `expected the run to finish with ${wantedText}, but ${otherText}.\n` +
      `Correct the expectation, or the prompt, budget or plan that led to this end.${handleAdvice(this, received)}`,
    expected: Object.fromEntries(other),
    actual: Object.fromEntries(other.map(([field]) => [field, was[field]])),
  };
}

function parseFinish(expected: unknown, rest: readonly unknown[]): [keyof Finish, unknown][] {
  const hint = `Pass one of ${REASONS.join(", ")}, or { reason?, answer?, agent? }. To expect a final answer, pass { answer: "…" }.`;
  if (rest.length > 0) throw misuse(NAME, "it takes one argument", hint);
  const finish = typeof expected === "string" ? { reason: expected } : expected;
  if (!isPlainObject(finish) || Object.keys(finish).length === 0) {
    throw misuse(NAME, `it was given ${describeValue(expected)}`, hint);
  }
  return Object.entries(finish).map(([field, value]) => {
    if (field !== "reason" && field !== "answer" && field !== "agent") {
      throw misuse(NAME, `a finish has no ${field}`, hint);
    }
    const isText = typeof value === "string" && (field !== "reason" || REASONS.includes(value));
    if (isText || (field === "answer" && typeof value === "object" && value !== null)) return [field, value];
    throw misuse(NAME, `its ${field} is ${describeValue(value)}`, hint);
  });
}

function finishOf(received: unknown): Finished {
  if (findCarrier(received) !== undefined) {
    const last = cassetteOf(NAME, received, false).entries.at(-1)?.response;
    if (last === undefined) throw misuse(NAME, "the cassette has no turns", "Run the agent and record it first.");
    return { reason: last.stopReason, answer: last.finalAnswer ?? last.message.content };
  }
  const run = runOf(NAME, received, RUN_HINT);
  const last = run.visits.at(-1) as RunLike["visits"][number];
  const reason = reasonOf(run);
  return { ...defined({ reason }), answer: last.finalAnswer, agent: last.agentId };
}

function reasonOf(run: RunLike): FinishReason | undefined {
  if (run.visits.at(-1)?.budgetExhausted !== undefined) return "budget";
  if (run.ended.kind === "cycle") return "cycle";
  // The last event is lost if any events were dropped.
  return run.droppedEvents > 0 ? undefined : eventsOf(run, "llm-turn").at(-1)?.stopReason;
}
