// Every format of the gate's report, by its name on the command line. Add a format with one line here.

import type { GateReport } from "../drift/gate-report.js";
import { githubReport } from "./github.js";
import { htmlReport } from "./html/report-page.js";
import { jsonReport } from "./json.js";
import { junitReport } from "./junit.js";
import { markdownReport } from "./markdown.js";
import { sarifReport } from "./sarif.js";
import { textReport } from "./text.js";

/** Writes a report as the text of a file. Pure: the same report gives the same text. */
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
