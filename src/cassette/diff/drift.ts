// The ways in which the behaviour of two runs can differ.

import type { JsonObject } from "../../core/index.js";
import type { ValueChange } from "../values.js";

/** The call that is new, gone or elsewhere. */
export interface CallFact {
  tool: string;
  /** As recorded, ignored places included; a moved call's are those of the new run. */
  arguments: JsonObject;
  malformedArguments?: string;
}

/** A difference without its words. `oldTurn` and `newTurn` are turn indices, on the sides where the thing exists. */
export type DriftFact =
  | ({ kind: "added"; newTurn: number } & CallFact)
  | ({ kind: "removed"; oldTurn: number } & CallFact)
  | ({ kind: "moved"; oldTurn: number; newTurn: number } & CallFact)
  /** The pointers lead into the arguments; "" are malformed arguments as a whole. */
  | { kind: "args-changed"; tool: string; oldTurn: number; newTurn: number; changes: ValueChange[] }
  | { kind: "content-changed"; oldTurn: number; newTurn: number; old: string; new: string }
  | { kind: "content-added"; newTurn: number; new: string }
  | { kind: "content-removed"; oldTurn: number; old: string };

/** One difference in behaviour; `sentence` says it to a reviewer. */
export type Drift = DriftFact & { sentence: string };

export type DriftKind = Drift["kind"];
