// The paths that the runs of a scenario took, how often on each side, and how far apart they are.

import { createUseCounter, pathUses, type ToleranceUse } from "../../../cassette/index.js";
import type { PathRow } from "../gate-report.js";
import type { RunSpending } from "../metrics/spending.js";
import type { DistanceTable } from "../statistics/permutation.js";
import { trajectoryDeparture, trajectoryDistance, type Trajectory } from "./trajectory.js";

/** What the gate needs of a run once its scenario is measured. */
export interface GateRun {
  file: string;
  turns: number;
  calls: number;
  success?: boolean;
  /** The message of a failed run. */
  failure?: string;
  /** The scenario that has the same outcomes, because both belong to one test. */
  sharedWith?: string;
  /** Absent if nobody counted it. */
  spending?: RunSpending;
  /** The grades of each recorded score. */
  scores?: ReadonlyMap<string, readonly number[]>;
}

/** A run with its path. */
export interface TracedRun extends GateRun {
  trajectory: Trajectory;
}

/**
 * Lists every path once, sorted by how often the baseline took it, then the candidate, then by the calls. Also returns the label of
 * each path by its key.
 */
export function pathTable(
  base: readonly TracedRun[],
  candidate: readonly TracedRun[],
): { rows: PathRow[]; labels: ReadonlyMap<string, string> } {
  const rows = new Map<string, PathRow & { order: string }>();
  const pathOf = createPaths();
  const keys = new Map<string, string>();
  const count = (runs: readonly TracedRun[], side: "base" | "candidate"): void => {
    for (const { trajectory } of runs) {
      const { key, steps } = pathOf(trajectory);
      const row = rows.get(key) ?? { label: "", steps, base: 0, candidate: 0, order: JSON.stringify(steps) };
      row[side]++;
      rows.set(key, row);
      keys.set(trajectory.key, key);
    }
  };
  count(base, "base");
  count(candidate, "candidate");
  const sorted = [...rows].sort(
    ([, a], [, b]) =>
      b.base - a.base || b.candidate - a.candidate || (a.order < b.order ? -1 : a.order > b.order ? 1 : 0),
  );
  const ownLabels = new Map(sorted.map(([key], index) => [key, labelOf(index)]));
  const labels = new Map([...keys].map(([key, own]) => [key, ownLabels.get(own) ?? ""]));
  return { rows: sorted.map(([, { order: _, ...row }], index) => ({ ...row, label: labelOf(index) })), labels };
}

/**
 * Returns a function that finds the first trajectory of the same path. Tolerances are not always transitive, so a run belongs to the
 * first path whose first run it equals.
 */
function createPaths(): (trajectory: Trajectory) => Trajectory {
  const known = new Map<string, Trajectory>();
  const bySkeleton = new Map<string, Trajectory[]>();
  return (trajectory) => {
    const { key, skeleton } = trajectory;
    const others = bySkeleton.get(skeleton) ?? [];
    const same = known.get(key) ?? others.find((other) => trajectoryDistance(other, trajectory) === 0);
    known.set(key, same ?? trajectory);
    if (same === undefined) bySkeleton.set(skeleton, [...others, trajectory]);
    return same ?? trajectory;
  };
}

/**
 * Lists every tolerance used for paths and distances: between each run and the first run of its path, and between the first runs of
 * any two paths.
 */
export function toleratedIn(runs: readonly TracedRun[], labels: ReadonlyMap<string, string>): ToleranceUse[] {
  const uses = createUseCounter();
  const firsts = new Map<string, Trajectory>();
  for (const { trajectory } of runs) {
    const label = labels.get(trajectory.key) ?? "";
    const first = firsts.get(label);
    if (first === undefined) firsts.set(label, trajectory);
    else uses.add(pathUses(first.path, trajectory.path));
  }
  const all = [...firsts.values()];
  all.forEach((one, index) => all.slice(0, index).forEach((other) => uses.add(pathUses(other.path, one.path))));
  return uses.list();
}

/** Labels A … Z, AA …, like the columns of a spreadsheet. */
function labelOf(index: number): string {
  const letter = String.fromCharCode(65 + (index % 26));
  return index < 26 ? letter : labelOf(Math.floor(index / 26) - 1) + letter;
}

export function haveSamePaths(rows: readonly PathRow[]): boolean {
  const total = (side: "base" | "candidate"): number => rows.reduce((sum, row) => sum + row[side], 0);
  const [base, candidate] = [total("base"), total("candidate")];
  return rows.every((row) => row.base * candidate === row.candidate * base);
}

/** How far each run departs from each other run. Equal pairs of paths are computed once. */
export function distanceTable(base: readonly TracedRun[], candidate: readonly TracedRun[]): DistanceTable {
  const all = [...base, ...candidate];
  const known = new Map<string, number>();
  const distances = new Float64Array(all.length ** 2);
  const far = (from: Trajectory, to: Trajectory): number => {
    const pair = `${from.key} ${to.key}`;
    const distance = known.get(pair) ?? trajectoryDeparture(from, to);
    known.set(pair, distance);
    if (!from.isOneWay) known.set(`${to.key} ${from.key}`, distance);
    return distance;
  };
  all.forEach(({ trajectory: a }, i) => {
    all.slice(0, i).forEach(({ trajectory: b }, j) => {
      distances[i * all.length + j] = far(a, b);
      distances[j * all.length + i] = far(b, a);
    });
  });
  return { base: base.length, runs: all.length, distances };
}

/**
 * The index of the wanted run with the least mean distance, both ways, to the runs `from` … `to` - 1. The first wins a tie. -1 if no
 * run is wanted.
 */
export function mostTypical(
  { runs, distances }: DistanceTable,
  from: number,
  to: number,
  isWanted: (run: number) => boolean,
): number {
  let [best, least] = [-1, Infinity];
  for (let run = from; run < to; run++) {
    if (!isWanted(run)) continue;
    let sum = 0;
    for (let other = from; other < to; other++) {
      sum += (distances[run * runs + other] as number) + (distances[other * runs + run] as number);
    }
    if (sum < least - 1e-9) [best, least] = [run, sum];
  }
  return best;
}
