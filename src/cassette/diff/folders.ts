// Compares two sets of recordings, such as one benchmark by two models: pairs them by name and lists each pair's drifts. Pure.

import { defined } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import type { Cassette } from "../file/format.js";
import { createUseCounter, type ToleranceUse } from "../tolerance/uses.js";
import { compareCassettes, type CassetteDiff } from "./diff.js";
import { DRIFT_KINDS, type Drift, type DriftKind } from "./drift.js";
import type { ValueChange } from "../prompt/json-difference.js";
import type { DiffOptions } from "./options.js";

/** A recording and the name it is paired by. */
export interface NamedCassette {
  task: string;
  cassette: Cassette;
}

/** What {@link diffSets} found, by the names that recordings are paired by. */
export interface SetDiff {
  /** The names on both sides, sorted. Without drifts the two runs behaved alike. */
  shared: { task: string; drifts: Drift[] }[];
  onlyOld: string[];
  onlyNew: string[];
  /** How many drifts of each kind there are in `shared`. */
  totals: Record<DriftKind, number>;
  /** Every tolerance that made different arguments equal in `shared`. */
  tolerances: ToleranceUse[];
}

/** Explains why names that hold a UUID are not paired; the empty text unless both sides have such a name. */
export function unpairedHint(old: readonly string[], now: readonly string[]): string {
  const isNamed = (name: string): boolean => UUID_IN_NAME.test(name);
  if (!old.some(isNamed) || !now.some(isNamed)) return "";
  return "names that are UUIDs cannot be paired: give the cassettes of one task the same name on both sides";
}

const UUID_IN_NAME = /(?:^|[/.])[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}(?:\.|$)/i;

/** Explains how to make null and an absent argument equal; the empty text where no drift is such a difference. */
export function nullHint(drifts: readonly Drift[]): string {
  const isFound = drifts.some((drift) => drift.kind === "args-changed" && drift.changes.some(isNullOrAbsent));
  return isFound
    ? 'null and an absent argument differ here. To make them equal, tolerate {"*": {"/**": {"default": null}}} (docs/diff.md)'
    : "";
}

function isNullOrAbsent({ old, new: now }: ValueChange): boolean {
  return [old, now].includes(undefined) && [old, now].includes(null);
}

/** Compares recordings of the same name. Throws "invalid-options" if a name occurs twice on one side. */
export function diffSets(a: readonly NamedCassette[], b: readonly NamedCassette[], options?: DiffOptions): SetDiff {
  assertDistinct("old", a);
  assertDistinct("new", b);
  const old = new Map(a.map(({ task, cassette }) => [task, cassette]));
  const now = new Map(b.map(({ task, cassette }) => [task, cassette]));

  const totals = Object.fromEntries(DRIFT_KINDS.map((kind) => [kind, 0])) as Record<DriftKind, number>;
  const diff: SetDiff = { shared: [], onlyOld: [], onlyNew: [], totals, tolerances: [] };
  const uses = createUseCounter();
  for (const task of [...new Set([...old.keys(), ...now.keys()])].sort()) {
    const before = old.get(task);
    const after = now.get(task);
    if (before === undefined) diff.onlyNew.push(task);
    else if (after === undefined) diff.onlyOld.push(task);
    else {
      const { drifts, tolerances } = diffTask(task, before, after, options);
      diff.shared.push({ task, drifts });
      uses.add(tolerances);
    }
  }
  diff.tolerances = uses.list();
  for (const { kind } of diff.shared.flatMap(({ drifts }) => drifts)) diff.totals[kind]++;
  return diff;
}

/** Adds the task to the error of a comparison that is too large. */
function diffTask(task: string, before: Cassette, after: Cassette, options: DiffOptions | undefined): CassetteDiff {
  try {
    return compareCassettes(before, after, options);
  } catch (error) {
    if (!(error instanceof CassetteError) || error.code !== "diff-too-large") throw error;
    const hint = defined({ hint: error.hint });
    throw new CassetteError(error.code, `${task}: ${error.summary}`, { ...hint, cause: error });
  }
}

function assertDistinct(side: "old" | "new", list: readonly NamedCassette[]): void {
  const seen = new Set<string>();
  const twice = new Set<string>();
  for (const { task } of list) (seen.has(task) ? twice : seen).add(task);
  if (twice.size === 0) return;
  const names = [...twice].map((name) => JSON.stringify(name)).join(", ");
  throw new CassetteError("invalid-options", `the ${side} side has more than one cassette named ${names}`, {
    hint: "Give every cassette of a side a different name.",
  });
}
