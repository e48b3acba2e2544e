// The ways in which the behaviour of two runs can differ. docs/diff.md has an example of each.

import type { JsonObject, StopReason } from "../../core/index.js";
import type { ValueChange } from "../prompt/json-difference.js";

export interface CallFact {
  tool: string;
  /** As recorded, with ignored places; of a moved call those of the new run. */
  arguments: JsonObject;
  malformedArguments?: string;
}

/** The place in the old run: the index of the turn, and a JSON pointer into the cassette. */
export interface OldPlace {
  oldTurn: number;
  oldPointer: string;
}

export interface NewPlace {
  newTurn: number;
  newPointer: string;
}

/** A difference without its sentence. It has places on the sides where the thing exists. */
export type DriftFact =
  | ({ kind: "added" } & CallFact & NewPlace)
  | ({ kind: "removed" } & CallFact & OldPlace)
  | ({ kind: "moved" } & CallFact & OldPlace & NewPlace)
  /** The pointers of the changes lead into the arguments; "" means malformed arguments as a whole. */
  | ({ kind: "args-changed"; tool: string; changes: ValueChange[] } & OldPlace & NewPlace)
  /** The new run repeats a call right after the same call. The old place is where the old run makes that call. */
  | ({ kind: "retried" } & CallFact & OldPlace & NewPlace)
  /** Calls of several old turns are in one new turn. `oldTurn` is the first of `oldTurns`. */
  | ({ kind: "parallelised"; tools: string[]; oldTurns: number[] } & OldPlace & NewPlace)
  /** Calls of one old turn are in several new turns. `newTurn` is the first of `newTurns`. */
  | ({ kind: "serialised"; tools: string[]; newTurns: number[] } & OldPlace & NewPlace)
  | ({ kind: "content-changed"; old: string; new: string } & OldPlace & NewPlace)
  | ({ kind: "content-added"; new: string } & NewPlace)
  | ({ kind: "content-removed"; old: string } & OldPlace)
  /** Two paired turns ended for different reasons. */
  | ({ kind: "stop-changed"; old: StopReason; new: StopReason } & OldPlace & NewPlace);

/** One difference in behaviour between two runs. `sentence` describes it for a reviewer. */
export type Drift = DriftFact & { sentence: string };

export type DriftKind = Drift["kind"];

/** Every kind, in the order of totals. */
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
