// Reads the changes that `--fail-on` allows: `cost:+20%`, `turns:+2`, `score:helpful:-0.1`.

import type { GateSettings } from "../../harness/index.js";
import { METRIC_CHOICES, type MetricChoice } from "./values.js";

type Threshold = NonNullable<GateSettings["thresholds"]>[number];

/** Parses one threshold. Returns what is wrong with it as a string. */
export function parseThreshold(text: string): Threshold | string {
  if (text.startsWith("score:")) return parseScoreThreshold(text);
  const [, name = "", sign = "", digits = "", percent = ""] =
    /^([^:]*):([+-]?)(\d+(?:\.\d+)?|\.\d+)(%?)$/.exec(text) ?? [];
  const metric = METRIC_CHOICES.find((each) => each === (name || text.split(":")[0]));
  if (metric === undefined)
    return `"${text}" names no metric. The metrics are ${METRIC_CHOICES.join(", ")} and score:NAME`;
  const example = `Give an increase, such as ${metric}:+20% or ${metric}:+${EXAMPLES[metric]}`;
  if (digits === "") return `"${text}" is not a threshold. ${example}`;
  if (sign !== "+") return `"${text}" has no +. ${example}`;
  const isRelative = percent !== "";
  return { metric, amount: isRelative ? Number(digits) / 100 : Number(digits), isRelative };
}

/** A copy of what scores may be called, so that the help loads no harness. */
const SCORE_NAME = /^[\p{L}\p{N}][\p{L}\p{N}._-]{0,59}$/u;
const SCORE_NAME_HINT = "Use up to 60 letters, digits, dots, hyphens and underscores, a letter or digit first";

/** A score gets worse if it falls, so its threshold is negative. */
function parseScoreThreshold(text: string): Threshold | string {
  const [, name = "", sign = "", digits = "", percent = ""] =
    /^score:(.*?)(?::([+-]?)(\d+(?:\.\d+)?|\.\d+)(%?))?$/s.exec(text) ?? [];
  const example = "Give a decrease, such as score:helpful:-0.1 or score:helpful:-10%";
  if (digits === "") return `"${text}" is not a threshold. ${example}`;
  if (!SCORE_NAME.test(name)) return `"${text}" has no valid name of a score. ${SCORE_NAME_HINT}`;
  if (sign !== "-") return `"${text}" has no -, and a score gets worse if it falls. ${example}`;
  const isRelative = percent !== "";
  return { metric: `score:${name}`, amount: isRelative ? Number(digits) / 100 : Number(digits), isRelative };
}

const EXAMPLES: Readonly<Record<MetricChoice, string>> = {
  cost: "0.01",
  tokens: "500",
  turns: "2",
  calls: "2",
  latency: "500",
};
