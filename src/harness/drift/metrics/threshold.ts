// The thresholds of `--fail-on` as text: `cost:+20%`, `turns:+2`, `score:helpful:-0.1`.

import { isScore, type MetricThreshold } from "./figures.js";

/** "+20%", "+2", "-0.1". */
export function allowanceText({ metric, amount, isRelative }: MetricThreshold): string {
  const sign = isScore(metric) ? "-" : "+";
  return isRelative ? `${sign}${Number((100 * amount).toPrecision(12))}%` : `${sign}${amount}`;
}

/** "cost:+20%", as `--fail-on` takes it. */
export function thresholdText(threshold: MetricThreshold): string {
  return `${threshold.metric}:${allowanceText(threshold)}`;
}
