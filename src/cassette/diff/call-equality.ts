// Decides which calls of two runs are equal, by the ignored places and the tolerances together.

import type { JsonObject, JsonValue } from "../../core/index.js";
import { diffValues, type ValueChange } from "../prompt/json-difference.js";
import { NO_TOLERANCES, type Tolerances } from "../tolerance/tolerances.js";
import { createUseCounter, type ToleranceUse } from "../tolerance/uses.js";
import type { RecordedCall } from "./calls/calls.js";
import { parseIgnore } from "./ignore.js";

export interface CallEqualityOptions {
  /** As `DiffOptions.ignore`. */
  ignore?: readonly string[];
  tolerances?: Tolerances;
}

export interface CallKeys {
  /** Calls with equal keys are equal. */
  key: string;
  /** Alike calls have equal skeletons, but calls with equal skeletons need not be alike. */
  skeleton: string;
}

export interface CallEquality {
  readonly isTolerant: boolean;
  keysOf(call: RecordedCall): CallKeys;
  /** Equal under the tolerances; symmetric, not transitive. */
  isAlike(old: RecordedCall, now: RecordedCall): boolean;
  /** The places where two calls of one tool differ; empty exactly if they are alike. */
  changes(old: RecordedCall, now: RecordedCall): ValueChange[];
  /** The tolerances that make two calls equal, in whole or in part. */
  usesBetween(old: RecordedCall, now: RecordedCall): ToleranceUse[];
  note(old: RecordedCall, now: RecordedCall): void;
  uses(): ToleranceUse[];
}

/** Throws `CassetteError` `invalid-options` for a malformed `ignore`. */
export function createCallEquality({ ignore = [], tolerances = NO_TOLERANCES }: CallEqualityOptions): CallEquality {
  const ignored = parseIgnore(ignore);
  const counter = createUseCounter();
  const prune = (call: RecordedCall): JsonObject => ignored.prune(call.name, call.arguments);

  function compare(old: RecordedCall, now: RecordedCall): { changes: ValueChange[]; uses: ToleranceUse[] } {
    if (isMalformed(old) || isMalformed(now)) {
      const written = (call: RecordedCall): JsonValue => call.malformedArguments ?? prune(call);
      return { changes: diffValues(written(old), written(now)), uses: [] };
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
