// The least of a drift: the shortest beginning of two runs that shows it, and in there the fewest turns of the candidate that
// must stand in the baseline for it to be seen.

import {
  alignTurns,
  diffCassettes,
  type CassetteV2,
  type DiffOptions,
  type Drift,
  type DriftKind,
} from "../../cassette/index.js";
import { ddmin } from "./ddmin.js";
import { buildPair, readSources, type Sources } from "./hybrid.js";

/** Which drift is looked for; without both, any. */
export interface WantedDrift {
  kind?: DriftKind;
  /** The tool of the call. */
  tool?: string;
}

export interface Shrunk {
  /** The beginning of the baseline. */
  base: CassetteV2;
  /** The same with the fewest turns of the candidate. */
  candidate: CassetteV2;
  drifts: Drift[];
  /** Turn pairs that are left, of how many. */
  rows: { kept: number; of: number };
  /** Turns that differ and are left, of how many. */
  edits: { kept: number; of: number };
  /** False where the limit of comparisons was reached: it shows the drift, and less might. */
  isMinimal: boolean;
}

/** The most comparisons of one shrink. */
export const MAX_COMPARISONS = 10_000;

/** Undefined where the two runs do not show the wanted drift at all. Throws what `diffCassettes` throws. */
export function shrinkDrift(
  base: CassetteV2,
  candidate: CassetteV2,
  options: DiffOptions = {},
  wanted: WantedDrift = {},
): Shrunk | undefined {
  const sources = readSources(base, candidate, alignTurns(base, candidate, options));
  const differing = [...sources.rows.entries()].flatMap(([index, row]) => (row.drifts.length > 0 ? [index] : []));
  let comparisons = 0;
  const shows = (rows: number, edits: readonly number[]): boolean => {
    comparisons++;
    return driftsOf(sources, rows, edits, options).some((drift) => fits(drift, wanted));
  };
  const total = sources.rows.length;
  if (!shows(total, differing)) return undefined;

  let rows = shortest(differing, total, (count) => shows(count, differing));
  const within = differing.filter((index) => index < rows);
  const { items, isMinimal } = ddmin(within, (part) => shows(rows, part), MAX_COMPARISONS - comparisons);
  rows = shortest(items, rows, (count) => shows(count, items));
  const pair = buildPair(sources, rows, new Set(items));
  return {
    ...pair,
    drifts: driftsOf(sources, rows, items, options),
    rows: { kept: rows, of: total },
    edits: { kept: items.length, of: differing.length },
    isMinimal,
  };
}

/** The fewest rows, each ending with a differing one, that still hold. At most half of the comparisons go into this. */
function shortest(differing: readonly number[], limit: number, holds: (rows: number) => boolean): number {
  const ends = differing.map((index) => index + 1).filter((end) => end < limit);
  for (const end of ends.slice(0, MAX_COMPARISONS / 2)) if (holds(end)) return end;
  return limit;
}

function driftsOf(sources: Sources, rows: number, edits: readonly number[], options: DiffOptions): Drift[] {
  const { base, candidate } = buildPair(sources, rows, new Set(edits));
  return diffCassettes(base, candidate, options);
}

function fits(drift: Drift, { kind, tool }: WantedDrift): boolean {
  if (kind !== undefined && drift.kind !== kind) return false;
  if (tool === undefined) return true;
  if ("tools" in drift) return drift.tools.includes(tool);
  return "tool" in drift && drift.tool === tool;
}
