// The reporters of the drift gate by the name that `--reporter` takes. A new one is one line here.

import type { GateReport } from "../drift/report.js";
import { toGithub } from "./github.js";
import { toHtml } from "./html/report-page.js";
import { toJunit } from "./junit.js";
import { toMarkdown } from "./markdown.js";
import { toSarif } from "./sarif.js";

/** A report as text. The same report gives the same text. */
export type Reporter = (report: GateReport) => string;

export interface ReporterEntry {
  write: Reporter;
  /** What a file of it is called, such as ".sarif". */
  suffix: string;
}

export const REPORTERS: Readonly<Record<string, ReporterEntry>> = {
  junit: { write: toJunit, suffix: ".xml" },
  sarif: { write: toSarif, suffix: ".sarif" },
  github: { write: toGithub, suffix: ".txt" },
  markdown: { write: toMarkdown, suffix: ".md" },
  html: { write: toHtml, suffix: ".html" },
};
