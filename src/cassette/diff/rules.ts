// What a comparison of two runs knows about equal calls: the places that are ignored and the tolerances, joined. The diff asks
// here for the key of a call and for the differences of a pair; it knows nothing of either.

import { canonicalize, type JsonObject, type JsonValue } from "../../core/index.js";
import { diffValues, type ValueChange } from "../values.js";
import { callKey, type RecordedCall } from "./calls.js";
import { parseIgnore } from "./ignore.js";

/** A tolerance that made two different values equal. */
export interface ToleranceUsed {
  tolerance: string;
  tool: string;
  pointer: string;
  times: number;
}

/** Which differences in arguments are none. Two calls of a tool are equal if their keys are, or if they are alike. */
export interface CallTolerances {
  /** `key`: equal exactly for arguments of one normal form. `skeleton`: equal for all that may be alike. */
  normalise(tool: string, args: JsonObject): { key: string; skeleton: string; value: JsonObject };
  /** Reflexive and symmetric; it need not be transitive, as with numbers ± a bit. */
  alike(tool: string, a: JsonObject, b: JsonObject): boolean;
  /** The places that differ by more than is allowed, none exactly for what is alike; and what made the others equal. */
  compare(tool: string, a: JsonObject, b: JsonObject): { changes: ValueChange[]; uses: ToleranceUsed[] };
}

export interface CallRuleOptions {
  /** Pointers, as `DiffOptions.ignore` has them. */
  ignore?: readonly string[];
  tolerances?: CallTolerances;
}

/** What a call is compared by. */
export interface CallKeys {
  /** Calls with equal keys are equal. */
  key: string;
  /** Calls that are alike have equal skeletons; equal skeletons need not be alike. */
  skeleton: string;
}

export interface CallRules {
  keysOf(call: RecordedCall): CallKeys;
  /** Equal under the tolerances; symmetric, not transitive. */
  isAlike(old: RecordedCall, now: RecordedCall): boolean;
  /** Where two calls of one tool differ; empty exactly if they are alike. */
  changes(old: RecordedCall, now: RecordedCall): ValueChange[];
  /** Notes what made two paired calls equal, in whole or in part. */
  note(old: RecordedCall, now: RecordedCall): void;
  /** What was noted. */
  uses(): ToleranceUsed[];
}

/** Throws `CassetteError` `invalid-options` for a malformed `ignore`. */
export function createCallRules({ ignore = [], tolerances }: CallRuleOptions): CallRules {
  const ignored = parseIgnore(ignore);
  const used = new Map<string, ToleranceUsed>();
  const prune = (call: RecordedCall): JsonObject => ignored.prune(call.name, call.arguments);

  function compare(old: RecordedCall, now: RecordedCall): { changes: ValueChange[]; uses: ToleranceUsed[] } {
    const isWritten = old.malformedArguments !== undefined || now.malformedArguments !== undefined;
    if (isWritten || tolerances === undefined) {
      const changes = diffValues(old.malformedArguments ?? prune(old), now.malformedArguments ?? prune(now));
      return { changes: changes.filter(({ pointer }) => !ignored.covers(now.name, pointer)), uses: [] };
    }
    const { changes, uses } = tolerances.compare(now.name, prune(old), prune(now));
    return { changes: changes.filter(({ pointer }) => !ignored.covers(now.name, pointer)), uses };
  }

  return {
    keysOf(call) {
      const pruned = prune(call);
      if (call.malformedArguments !== undefined || (tolerances === undefined && pruned === call.arguments)) {
        return { key: call.key, skeleton: call.key };
      }
      if (tolerances !== undefined) return tolerances.normalise(call.name, pruned);
      const key = callKey({ name: call.name, arguments: pruned });
      return { key, skeleton: key };
    },
    isAlike: (old, now) => old.name === now.name && compare(old, now).changes.length === 0,
    changes: (old, now) => compare(old, now).changes,
    note(old, now) {
      if (old.key === now.key) return;
      for (const use of compare(old, now).uses) {
        const name = canonicalize([use.tool, use.pointer, use.tolerance] satisfies JsonValue);
        used.set(name, { ...use, times: use.times + (used.get(name)?.times ?? 0) });
      }
    },
    uses: () => [...used.values()],
  };
}
