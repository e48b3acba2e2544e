// What a comparison of two runs knows about equal calls: the places that are ignored and the tolerances, joined. The diff asks
// here for the key of a call and for the differences of a pair; it knows nothing of either.

import type { JsonObject, JsonValue } from "../../core/index.js";
import { NO_TOLERANCES, type Tolerances } from "../tolerance/tolerances.js";
import { createUseCounter, type ToleranceUse } from "../tolerance/uses.js";
import { diffValues, type ValueChange } from "../prompt/values.js";
import type { RecordedCall } from "./calls/calls.js";
import { parseIgnore } from "./ignore.js";

export interface CallRuleOptions {
  /** Pointers, as `DiffOptions.ignore` has them. */
  ignore?: readonly string[];
  tolerances?: Tolerances;
}

/** What a call is compared by. */
export interface CallKeys {
  /** Calls with equal keys are equal. */
  key: string;
  /** Calls that are alike have equal skeletons; equal skeletons need not be alike. */
  skeleton: string;
}

export interface CallRules {
  /** Anything is tolerated at all. */
  readonly isTolerant: boolean;
  keysOf(call: RecordedCall): CallKeys;
  /** Equal under the tolerances; symmetric, not transitive. */
  isAlike(old: RecordedCall, now: RecordedCall): boolean;
  /** Where two calls of one tool differ; empty exactly if they are alike. */
  changes(old: RecordedCall, now: RecordedCall): ValueChange[];
  /** What makes two calls equal, in whole or in part. */
  usesBetween(old: RecordedCall, now: RecordedCall): ToleranceUse[];
  /** Notes the same of two paired calls. */
  note(old: RecordedCall, now: RecordedCall): void;
  /** What was noted. */
  uses(): ToleranceUse[];
}

/** Throws `CassetteError` `invalid-options` for a malformed `ignore`. */
export function createCallRules({ ignore = [], tolerances = NO_TOLERANCES }: CallRuleOptions): CallRules {
  const ignored = parseIgnore(ignore);
  const counter = createUseCounter();
  const prune = (call: RecordedCall): JsonObject => ignored.prune(call.name, call.arguments);

  function compare(old: RecordedCall, now: RecordedCall): { changes: ValueChange[]; uses: ToleranceUse[] } {
    if (isMalformed(old) || isMalformed(now)) {
      return { changes: diffValues(writtenIn(old, prune(old)), writtenIn(now, prune(now))), uses: [] };
    }
    const { changes, uses } = tolerances.compare(now.name, prune(old), prune(now));
    return { changes: changes.filter(({ pointer }) => !ignored.covers(now.name, pointer)), uses };
  }

  const usesBetween = (old: RecordedCall, now: RecordedCall): ToleranceUse[] =>
    old.key === now.key ? [] : compare(old, now).uses;

  return {
    isTolerant: tolerances !== NO_TOLERANCES,
    usesBetween,
    keysOf(call) {
      const pruned = prune(call);
      const isAsWritten = tolerances === NO_TOLERANCES && pruned === call.arguments;
      if (!isMalformed(call) && !isAsWritten) return tolerances.normalise(call.name, pruned);
      return { key: call.key, skeleton: call.key };
    },
    isAlike: (old, now) => old.name === now.name && compare(old, now).changes.length === 0,
    changes: (old, now) => compare(old, now).changes,
    note: (old, now) => counter.add(usesBetween(old, now)),
    uses: () => counter.list(),
  };
}

function isMalformed(call: RecordedCall): boolean {
  return call.malformedArguments !== undefined;
}

function writtenIn(call: RecordedCall, args: JsonObject): JsonValue {
  return call.malformedArguments ?? args;
}
