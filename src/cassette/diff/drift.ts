// The ways in which the behaviour of two runs can differ. docs/diff.md defines each with an example.

import type { JsonObject, StopReason } from "../../core/index.js";
import type { ValueChange } from "../prompt/values.js";

/** The call that is new, gone or elsewhere. */
export interface CallFact {
  tool: string;
  /** As recorded, ignored places included; a moved call's are those of the new run. */
  arguments: JsonObject;
  malformedArguments?: string;
}

/** Where it stands in the old run: the turn's index, and a JSON pointer into the cassette. */
export interface OldPlace {
  oldTurn: number;
  oldPointer: string;
}

/** The same, in the new run. */
export interface NewPlace {
  newTurn: number;
  newPointer: string;
}

/** A difference without its words; the places are there on the sides where the thing exists. */
export type DriftFact =
  | ({ kind: "added" } & CallFact & NewPlace)
  | ({ kind: "removed" } & CallFact & OldPlace)
  | ({ kind: "moved" } & CallFact & OldPlace & NewPlace)
  /** The pointers of the changes lead into the arguments; "" are malformed arguments as a whole. */
  | ({ kind: "args-changed"; tool: string; changes: ValueChange[] } & OldPlace & NewPlace)
  /** The new run makes a call once more, right after the same call; the old place is where the old run makes that one. */
  | ({ kind: "retried" } & CallFact & OldPlace & NewPlace)
  /** Calls of several old turns are in one new turn. `oldTurn` is the first of `oldTurns`. */
  | ({ kind: "parallelised"; tools: string[]; oldTurns: number[] } & OldPlace & NewPlace)
  /** Calls of one old turn are in several new turns. `newTurn` is the first of `newTurns`. */
  | ({ kind: "serialised"; tools: string[]; newTurns: number[] } & OldPlace & NewPlace)
  | ({ kind: "content-changed"; old: string; new: string } & OldPlace & NewPlace)
  | ({ kind: "content-added"; new: string } & NewPlace)
  | ({ kind: "content-removed"; old: string } & OldPlace)
  /** Two turns that belong together ended for other reasons. */
  | ({ kind: "stop-changed"; old: StopReason; new: StopReason } & OldPlace & NewPlace);

/** One difference in behaviour; `sentence` says it to a reviewer. */
export type Drift = DriftFact & { sentence: string };

/** The name of a way to differ; docs/diff.md defines each. */
export type DriftKind = Drift["kind"];

/** Every kind, in the order in which totals are told. */
export const DRIFT_KINDS: readonly DriftKind[] = [
  "added",
  "removed",
  "moved",
  "args-changed",
  "retried",
  "parallelised",
  "serialised",
  "content-changed",
  "content-added",
  "content-removed",
  "stop-changed",
];
