// The thresholds of `--fail-on` as text: `cost:+20%`, `turns:+2`.

import type { MetricThreshold } from "./figures.js";

/** "+20%", "+2". */
export function allowanceText({ amount, isRelative }: MetricThreshold): string {
  return isRelative ? `+${Number((100 * amount).toPrecision(12))}%` : `+${amount}`;
}

/** "cost:+20%", as `--fail-on` takes it. */
export function thresholdText(threshold: MetricThreshold): string {
  return `${threshold.metric}:${allowanceText(threshold)}`;
}
