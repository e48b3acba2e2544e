// Checks whole numbers among the options of the host.

import { AgentError, showValue } from "../core/index.js";

/** Throws `AgentError` `invalid-options` unless `value` is a whole number from `least` to `most`. */
export function assertCount(name: string, value: number, least: number, most: number): void {
  if (Number.isInteger(value) && value >= least && value <= most) return;
  throw new AgentError("invalid-options", `${name} is ${showValue(value)}`, {
    hint: `Give a whole number from ${least} to ${most}.`,
  });
}
