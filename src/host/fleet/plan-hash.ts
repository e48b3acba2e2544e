// The hash of a plan. The machines of a job compare it, so that all of them run the same plan.

import { defined, hashJson } from "../../core/index.js";
import type { FleetRetry } from "./options.js";
import type { FleetPlan } from "./store.js";

/** Goals do not count, because each machine computes its own. */
export function planHash(
  plan: Omit<FleetPlan, "hash" | "id">,
  members: readonly string[],
  retry: FleetRetry | undefined,
): string {
  const { cells, rate, limitUsd } = plan;
  return hashJson({ cells, members, ...defined({ rate, limitUsd, retry }) });
}
