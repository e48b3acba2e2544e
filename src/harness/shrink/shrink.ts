// Shrinks a drift, or a broken rule, to the shortest beginning of two runs and the fewest turns of the candidate.

import {
  alignTurns,
  checkRules,
  compareCassettes,
  diffCassettes,
  type CassetteV2,
  type DiffOptions,
  type Drift,
  type DriftKind,
  type RuleBreak,
  type RuleSet,
  type ToleranceUse,
} from "../../cassette/index.js";
import { canonicalize, defined } from "../../core/index.js";
import { MAX_SHRINK_COMPARISONS } from "../limits.js";
import { ddmin } from "./ddmin.js";
import { buildPair, readSources, type Sources } from "./hybrid.js";

/** The drift to look for. Default: any. */
export interface WantedDrift {
  kind?: DriftKind;
  tool?: string;
  /** Looks for the first rule that the candidate breaks and the baseline keeps, instead of a drift. */
  rules?: RuleSet;
}

export interface Shrunk {
  /** The beginning of the baseline. */
  base: CassetteV2;
  /** The same beginning with the fewest turns of the candidate. */
  candidate: CassetteV2;
  /** The drifts that remain. May be empty for a rule, such as one on tokens. */
  drifts: Drift[];
  /** Every tolerance that the comparison used. */
  tolerances: ToleranceUse[];
  /** How the candidate breaks the rule. */
  broken?: RuleBreak;
  /** Turn pairs: the number left, and their total. */
  rows: { kept: number; of: number };
  /** Turns that differ: the number left, and their total. */
  edits: { kept: number; of: number };
  /** False if the limit of comparisons was reached, so a smaller pair might show the drift too. */
  isMinimal: boolean;
}

/** Shrinks two runs. Undefined if they do not show the wanted drift. Throws like `diffCassettes` and `checkRules`. */
export function shrinkDrift(
  base: CassetteV2,
  candidate: CassetteV2,
  options: DiffOptions = {},
  wanted: WantedDrift = {},
): Shrunk | undefined {
  const sources = readSources(base, candidate, alignTurns(base, candidate, options));
  const total = sources.rows.length;
  const rule = wanted.rules === undefined ? undefined : onlyRule(wanted.rules, base, candidate);
  if (wanted.rules !== undefined && rule === undefined) return undefined;
  let comparisons = 0;
  const shows = (rows: number, edits: readonly number[]): boolean => {
    comparisons++;
    const pair = buildPair(sources, rows, new Set(edits));
    if (rule !== undefined) return brokenIn(pair, rule) !== undefined;
    return diffCassettes(pair.base, pair.candidate, options).some((drift) => fits(drift, wanted));
  };
  const differing = differingRows(sources, rule !== undefined).find((rows) => shows(total, rows));
  if (differing === undefined) return undefined;

  // A drift shows in a row that differs. A rule can break later, at a call that both sides make.
  const ends = (rowsOf: readonly number[]): readonly number[] =>
    rule === undefined ? rowsOf : [...sources.rows.keys()];
  let rows = shortest(ends(differing), total, (count) => shows(count, differing));
  const within = differing.filter((index) => index < rows);
  const { items, isMinimal } = ddmin(within, (part) => shows(rows, part), MAX_SHRINK_COMPARISONS - comparisons);
  rows = shortest(ends(items), rows, (count) => shows(count, items));
  const pair = buildPair(sources, rows, new Set(items));
  const broken = rule === undefined ? undefined : brokenIn(pair, rule);
  return {
    ...pair,
    ...compareCassettes(pair.base, pair.candidate, options),
    ...defined({ broken }),
    rows: { kept: rows, of: total },
    edits: { kept: items.length, of: differing.length },
    isMinimal,
  };
}

/** The rows with drifts. For a rule, also every row that is not identical, because rows with drifts might not break it. */
function differingRows({ rows, old, now }: Sources, isForRule: boolean): number[][] {
  const indices = [...rows.keys()];
  const drifted = indices.filter((index) => (rows[index]?.drifts.length ?? 0) > 0);
  if (!isForRule) return [drifted];
  const textOf = (list: Sources["old"], turn: number | undefined): string =>
    turn === undefined ? "" : canonicalize(list[turn]?.response ?? null);
  const unequal = indices.filter((index) => textOf(old, rows[index]?.old) !== textOf(now, rows[index]?.new));
  return [drifted, unequal];
}

/** A rule set with only the first rule that the candidate breaks and the baseline keeps. */
function onlyRule(rules: RuleSet, base: CassetteV2, candidate: CassetteV2): RuleSet | undefined {
  const known = new Set(checkRules(base, rules).map(({ rule }) => rule));
  const first = checkRules(candidate, rules).find(({ rule }) => !known.has(rule));
  return first === undefined ? undefined : { ...rules, rules: rules.rules.filter(({ id }) => id === first.rule) };
}

/** A shortened run may break a rule only because it is short. The shortened baseline then breaks it too. */
function brokenIn({ base, candidate }: Pick<Shrunk, "base" | "candidate">, rule: RuleSet): RuleBreak | undefined {
  return checkRules(base, rule).length > 0 ? undefined : checkRules(candidate, rule)[0];
}

/** The fewest rows that still show the drift or broken rule, ending with a given row. Uses at most half of the comparisons. */
function shortest(last: readonly number[], limit: number, holds: (rows: number) => boolean): number {
  const ends = last.map((index) => index + 1).filter((end) => end < limit);
  for (const end of ends.slice(0, MAX_SHRINK_COMPARISONS / 2)) if (holds(end)) return end;
  return limit;
}

function fits(drift: Drift, { kind, tool }: WantedDrift): boolean {
  if (kind !== undefined && drift.kind !== kind) return false;
  if (tool === undefined) return true;
  if ("tools" in drift) return drift.tools.includes(tool);
  return "tool" in drift && drift.tool === tool;
}
