// Every way to write the gate's report down, by its name on the command line. A new one is one line here.

import type { GateReport } from "../drift/gate-report.js";
import { githubReport } from "./github.js";
import { htmlReport } from "./html/report-page.js";
import { jsonReport } from "./json.js";
import { junitReport } from "./junit.js";
import { markdownReport } from "./markdown.js";
import { sarifReport } from "./sarif.js";
import { textReport } from "./text.js";

/** The report as the text of a file. Pure: the same report gives the same text. */
type Reporter = (report: GateReport) => string;

const REPORTERS: ReadonlyMap<string, Reporter> = new Map<string, Reporter>([
  ["text", textReport],
  ["json", jsonReport],
  ["junit", junitReport],
  ["sarif", sarifReport],
  ["github", githubReport],
  ["markdown", markdownReport],
  ["html", htmlReport],
]);

export const REPORTER_NAMES: readonly string[] = [...REPORTERS.keys()];

export function reporterOf(name: string): Reporter | undefined {
  return REPORTERS.get(name);
}
