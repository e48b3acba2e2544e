// Writes the gate's report as JSON.

import { toVisibleJson } from "../../core/index.js";
import type { GateReport } from "../drift/gate-report.js";

/** Writes the report. Characters that control a terminal are escaped, which keeps the value the same. */
export function jsonReport(report: GateReport): string {
  return `${toVisibleJson(JSON.stringify(report, null, 2))}\n`;
}
