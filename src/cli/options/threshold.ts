// Reads the increases that `--fail-on` allows: `cost:+20%`, `turns:+2`.

import type { GateSettings } from "../../harness/index.js";
import { METRIC_CHOICES, type MetricChoice } from "./values.js";

type Threshold = NonNullable<GateSettings["thresholds"]>[number];

/** Parses one threshold. Returns what is wrong with it as a string. */
export function parseThreshold(text: string): Threshold | string {
  const [, name = "", sign = "", digits = "", percent = ""] =
    /^([^:]*):([+-]?)(\d+(?:\.\d+)?|\.\d+)(%?)$/.exec(text) ?? [];
  const metric = METRIC_CHOICES.find((each) => each === (name || text.split(":")[0]));
  if (metric === undefined) return `"${text}" names no metric. The metrics are ${METRIC_CHOICES.join(", ")}`;
  const example = `Give an increase, such as ${metric}:+20% or ${metric}:+${EXAMPLES[metric]}`;
  if (digits === "") return `"${text}" is not a threshold. ${example}`;
  if (sign !== "+") return `"${text}" has no +. ${example}`;
  const isRelative = percent !== "";
  return { metric, amount: isRelative ? Number(digits) / 100 : Number(digits), isRelative };
}

const EXAMPLES: Readonly<Record<MetricChoice, string>> = {
  cost: "0.01",
  tokens: "500",
  turns: "2",
  calls: "2",
  latency: "500",
};
