// When two calls are the same: their places to ignore, and the tolerances that another file defines.

import { canonicalize, type JsonObject, type JsonValue } from "../../core/index.js";
import { diffValues, type ValueChange } from "../values.js";
import { callKey, type RecordedCall } from "./calls.js";
import type { IgnoreRules } from "./ignore.js";

/** Differences in arguments that a user allows. Two calls of a tool are equal if their keys are, or if they are alike. */
export interface CallTolerances {
  /** The arguments in one form for all that is surely equal, and a text that is equal exactly where that form is. */
  normalise(tool: string, args: JsonObject): { key: string; value: JsonValue };
  /** Asked about two normalised values of other keys. Symmetric; it need not be transitive, as with numbers ± a bit. */
  alike?(tool: string, a: JsonValue, b: JsonValue): boolean;
  /** The places of two normalised values that differ by more than is allowed. Without it, all that differ. */
  changes?(tool: string, a: JsonValue, b: JsonValue): ValueChange[];
}

export interface CallRules {
  /** What of the call is compared, and its identity. */
  compared(call: RecordedCall): { key: string; value: JsonValue };
  isAlike?(tool: string, a: JsonValue, b: JsonValue): boolean;
  changes(tool: string, a: JsonValue, b: JsonValue): ValueChange[];
}

export function createCallRules(ignore: IgnoreRules, tolerances: CallTolerances | undefined): CallRules {
  return {
    compared(call) {
      if (call.malformedArguments !== undefined) return { key: call.key, value: call.malformedArguments };
      const pruned = ignore.prune(call.name, call.arguments);
      if (tolerances === undefined) {
        return { key: pruned === call.arguments ? call.key : callKey({ ...call, arguments: pruned }), value: pruned };
      }
      const { key, value } = tolerances.normalise(call.name, pruned);
      return { key: canonicalize([call.name, key]), value };
    },
    ...(tolerances?.alike === undefined ? {} : { isAlike: (tool, a, b) => tolerances.alike?.(tool, a, b) === true }),
    changes: (tool, a, b) =>
      (tolerances?.changes?.(tool, a, b) ?? diffValues(a, b)).filter(({ pointer }) => !ignore.covers(tool, pointer)),
  };
}
