// The gate's report as the JSON that it is.

import { toVisibleJson } from "../../core/index.js";
import type { GateReport } from "../drift/gate-report.js";

/** Characters that a terminal would act on are escaped; the value is the same. */
export function jsonReport(report: GateReport): string {
  return `${toVisibleJson(JSON.stringify(report, null, 2))}\n`;
}
