// Judges whether a ratio is worse than its kept figure. The noise is measured, not assumed. Every ratio is measured in
// several fresh processes that run the same code. The largest difference between two of them proves nothing, so it is
// the noise.

import { summarise } from "./measure.mjs";

/** A ratio with the digits that are kept. More digits would not be reproducible. */
export function toFigure(ratio) {
  return Number(ratio.toPrecision(4));
}

/**
 * `samples`: the ratios of each id, one for each process. `kept`: a figure for each id. A ratio is worse if its median is above
 * the figure by more than the noise. A ratio with a figure but no sample is missing, which also fails. So does a ratio for which
 * a process gave no number. `noisy` lists ratios whose noise is more than half of the figure. A pass says little about them. If
 * the median is also worse by half, the ratio is unclear, which fails.
 */
export function judge(samples, kept) {
  const rows = Object.entries(kept).map(([id, figure]) => judgeOne(id, figure, samples[id] ?? []));
  const fresh = Object.keys(samples).filter((id) => !Object.hasOwn(kept, id) && samples[id].length > 0);
  return {
    rows: [...rows, ...fresh.map((id) => ({ id, verdict: "no figure kept", ...nowOf(samples[id]) }))],
    isGood: rows.every(({ verdict }) => !BAD.includes(verdict)),
    noisy: rows.filter(({ figure, noise }) => noise > Math.abs(figure) / 2).map(({ id }) => id),
  };
}

/** The verdicts that fail a check. */
export const BAD = ["worse", "unclear", "missing", "no number"];

function judgeOne(id, figure, values) {
  if (values.length < 2) return { id, figure, verdict: "missing" };
  if (!values.every(Number.isFinite)) return { id, figure, verdict: "no number" };
  const now = toFigure(summarise(values).median);
  const noise = Math.max(...values) - Math.min(...values);
  const verdict = judgeFigure(now, figure, noise);
  return { id, figure, now, noise, most: figure + noise, verdict };
}

function nowOf(values) {
  return values.every(Number.isFinite) ? { now: summarise(values).median } : {};
}

function judgeFigure(now, figure, noise) {
  if (now > figure + noise) return "worse";
  // Worse by half of the figure, and the noise is at least as large.
  if (now > figure + Math.abs(figure) / 2) return "unclear";
  return now < figure - noise ? "better" : "same";
}

export function formatJudgement(rows, format) {
  const lines = rows.map(({ id, figure, now, noise, most, verdict }) =>
    [
      id.padEnd(18),
      ...[figure, now, noise, most].map((value) => (value === undefined ? "-" : format(value)).padStart(9)),
      verdict,
    ].join("  "),
  );
  const head = ["ratio".padEnd(18), ...["kept", "now", "noise", "at most"].map((text) => text.padStart(9)), ""].join(
    "  ",
  );
  return [head, ...lines].join("\n");
}
