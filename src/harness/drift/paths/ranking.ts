// Which scenario comes first: the sentence of the verdict, the list of every report and the keys of the page all follow this order.

import type { GateReport, ScenarioReport, Verdict } from "../gate-report.js";

/** From worst to best: the order in which a reader wants them. */
export const WORST_FIRST: readonly Verdict[] = ["regression", "drift", "inconclusive", "better", "same"];

/** What the order depends on. */
export type Ranked = Pick<GateReport, "scenarios" | "verdict" | "pooled" | "settings">;

/**
 * The scenarios by verdict, then by how much success they lost or gained, then by name. Where success was lost over all of them
 * together, the loss comes before the verdict, since few of them can be judged alone. Where the verdict is `better`, those that
 * are better come first.
 */
export function worstFirst({ scenarios, verdict: whole, pooled, settings }: Ranked): ScenarioReport[] {
  const isLostOverAll = (pooled.outcome?.test.adjusted ?? 1) <= settings.alpha;
  const rank = ({ verdict }: ScenarioReport): number => {
    if (verdict === "better" && whole === "better") return -1;
    const isByLoss = isLostOverAll && (verdict === "drift" || verdict === "inconclusive");
    return isByLoss ? 1 : WORST_FIRST.indexOf(verdict);
  };
  return [...scenarios].sort(
    (a, b) =>
      rank(a) - rank(b) ||
      bySize(a, b) ||
      WORST_FIRST.indexOf(a.verdict) - WORST_FIRST.indexOf(b.verdict) ||
      byName(a, b),
  );
}

/** The scenarios of one verdict in the order of `worstFirst`. */
export function ofVerdict(scenarios: readonly ScenarioReport[], wanted: Verdict): ScenarioReport[] {
  return scenarios.filter(({ verdict }) => verdict === wanted).sort((a, b) => bySize(a, b) || byName(a, b));
}

/** How much smaller the candidate's share of successes is, 0 to 1; 0 where it is not. */
export function lossOf({ outcome }: ScenarioReport): number {
  return Math.max(0, -(outcome?.effect.value ?? 0));
}

function bySize(a: ScenarioReport, b: ScenarioReport): number {
  return lossOf(b) - lossOf(a) || gainOf(b) - gainOf(a);
}

function gainOf({ verdict, outcome }: ScenarioReport): number {
  return verdict === "better" ? (outcome?.effect.value ?? 0) : 0;
}

function byName(a: ScenarioReport, b: ScenarioReport): number {
  return a.scenario < b.scenario ? -1 : a.scenario > b.scenario ? 1 : 0;
}
