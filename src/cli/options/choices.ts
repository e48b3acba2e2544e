// Words that flags take, as the layers below list them. Copies, so that declaring a command or printing its help loads none of
// those layers; a test holds them equal.

import type { CallOrder } from "../../cassette/index.js";
import type { MutantKind, Verdict } from "../../harness/index.js";

/** `CALL_ORDERS` of the cassette layer. */
export const ORDER_CHOICES: readonly CallOrder[] = [
  "strict",
  "exact",
  "in_order",
  "unordered",
  "any_order",
  "subset",
  "superset",
];

/** `VERDICTS` of the harness. */
export const VERDICT_CHOICES: readonly Verdict[] = ["same", "better", "drift", "regression", "inconclusive"];

/** `REPORTER_NAMES` of the harness. */
export const REPORTER_CHOICES: readonly string[] = ["text", "json", "junit", "sarif", "github", "markdown", "html"];

/** `MUTANT_KINDS` of the harness. */
export const MUTANT_CHOICES: readonly MutantKind[] = ["prompt", "arguments", "result", "answer", "stop", "tool"];
