// Is a ratio worse than the figure that was kept of it? The noise is measured, not assumed: every ratio is taken in several fresh
// processes of one and the same code, A against A, and the most by which two of them differed is what proves nothing.

import { summarise } from "./measure.mjs";

/**
 * `samples`: the ratios of each id, one of each process. `kept`: a figure for each id. A ratio is worse if its median is above
 * the figure by more than the noise. One that has a figure and no sample is missing, which is as bad. `noisy` are those whose noise
 * is more than half of the figure: a check that finds nothing there says little.
 */
export function judge(samples, kept) {
  const rows = Object.entries(kept).map(([id, figure]) => judgeOne(id, figure, samples[id] ?? []));
  const fresh = Object.keys(samples).filter((id) => !Object.hasOwn(kept, id) && samples[id].length > 0);
  return {
    rows: [...rows, ...fresh.map((id) => ({ id, verdict: "no figure kept", now: summarise(samples[id]).median }))],
    isGood: rows.every(({ verdict }) => verdict !== "worse" && verdict !== "missing"),
    noisy: rows.filter(({ figure, noise }) => noise > Math.abs(figure) / 2).map(({ id }) => id),
  };
}

function judgeOne(id, figure, values) {
  if (values.length < 2) return { id, figure, verdict: "missing" };
  const now = summarise(values).median;
  const noise = Math.max(...values) - Math.min(...values);
  const verdict = now > figure + noise ? "worse" : now < figure - noise ? "better" : "same";
  return { id, figure, now, noise, most: figure + noise, verdict };
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
