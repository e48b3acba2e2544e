// Every way to write the gate's report down, by its name on the command line. A new one is one line here.

import type { GateReport } from "../drift/gate-report.js";
import { toGithub } from "./github.js";
import { toHtml } from "./html/report-page.js";
import { toJson } from "./json.js";
import { toJunit } from "./junit.js";
import { toMarkdown } from "./markdown.js";
import { toSarif } from "./sarif.js";
import { toText } from "./text.js";

/** The report as the text of a file. Pure: the same report gives the same text. */
export type Reporter = (report: GateReport) => string;

const REPORTERS: ReadonlyMap<string, Reporter> = new Map<string, Reporter>([
  ["text", toText],
  ["json", toJson],
  ["junit", toJunit],
  ["sarif", toSarif],
  ["github", toGithub],
  ["markdown", toMarkdown],
  ["html", toHtml],
]);

/** The names of all reporters of the drift gate. */
export const REPORTER_NAMES: readonly string[] = [...REPORTERS.keys()];

/** The reporter of that name, if there is one. */
export function reporterOf(name: string): Reporter | undefined {
  return REPORTERS.get(name);
}
