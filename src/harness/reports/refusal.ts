// What each report says where nothing was compared, since a cassette was refused or could not be read: so that a report of an
// earlier run does not stand for this one, and what a machine reads fails.

import { toVisible, toVisibleJson } from "../../core/index.js";
import { toPage } from "../html/page.js";
import { PAGE_STYLE } from "../html/style/page.js";
import { preview } from "../html/text-view.js";
import { html } from "../html/template.js";
import { escapeProperty, escapeData } from "./github.js";
import { element, escapeXml } from "./junit.js";
import { codeSpan, escapeMarkdown } from "./markdown-text.js";
import { STICKY_MARKER } from "./markdown.js";
import { toUriReference } from "./uri.js";

/** Why nothing was compared. */
export interface GateRefusal {
  base: string;
  candidate: string;
  /** At least one. */
  refused: readonly RefusedFile[];
}

/** A file that was refused, with the code of the error that says why. */
export interface RefusedFile {
  code: string;
  message: string;
  file?: string;
  hint?: string;
}

const TITLE = "cassette drift: nothing was compared";
const MAX_LISTED = 100;

const WRITERS: Readonly<Record<string, (refusal: GateRefusal) => string>> = {
  text: toText,
  json: (refusal) => `${toVisibleJson(JSON.stringify({ schemaVersion: 1, compared: false, ...refusal }, null, 2))}\n`,
  junit: toJunit,
  sarif: toSarif,
  github: toGithub,
  markdown: toMarkdown,
  html: toHtml,
};

/** The text of the report of that name. */
export function refusalText(name: string, refusal: GateRefusal): string {
  return WRITERS[name]?.(refusal) ?? toText(refusal);
}

function toText({ base, candidate, refused }: GateRefusal): string {
  const lines = refused.slice(0, MAX_LISTED).map(lineOf);
  const more = refused.length - MAX_LISTED;
  return [`nothing was compared: ${base} against ${candidate}`, ...lines, ...(more > 0 ? [`and ${more} more`] : [])]
    .map((line) => `${toVisible(line)}\n`)
    .join("");
}

function lineOf({ code, message, file }: RefusedFile): string {
  return `${file === undefined ? "" : `${file}: `}${message} (${code})`;
}

function toJunit({ base, candidate, refused }: GateRefusal): string {
  const totals = { tests: refused.length, failures: 0, errors: refused.length, skipped: 0, time: 0 };
  const cases = refused.map(({ code, message, file = "" }) => {
    const error = element("error", { message, type: code }, [escapeXml(toVisible(message))]);
    return element("testcase", { name: file || code, classname: "cassette.drift", file, time: 0 }, [error]);
  });
  const suite = element("testsuite", { name: `${base} → ${candidate}`, ...totals }, cases);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", { name: "cassette drift", ...totals }, [suite])}\n`;
}

function toSarif({ refused }: GateRefusal): string {
  const results = refused.map(({ code, message, file }) => ({
    ruleId: `refused/${code}`,
    level: "error",
    message: { text: toVisible(message) },
    ...(file === undefined
      ? {}
      : { locations: [{ physicalLocation: { artifactLocation: { uri: toUriReference(file) } } }] }),
  }));
  const rules = [...new Set(results.map(({ ruleId }) => ruleId))].map((id) => ({
    id,
    shortDescription: { text: "A cassette that cannot be compared." },
  }));
  const run = {
    tool: { driver: { name: "cassette drift", rules } },
    automationDetails: { id: "cassette-drift/" },
    invocations: [{ executionSuccessful: false }],
    results,
  };
  const log = { $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function toGithub({ refused }: GateRefusal): string {
  const lines = refused.slice(0, 9).map(({ code, message, file }) => {
    const place = file === undefined ? "" : `file=${escapeProperty(file)},`;
    return `::error ${place}title=${escapeProperty(`cassette drift: ${code}`)}::${escapeData(toVisible(message))}\n`;
  });
  return `${lines.join("")}${TITLE}; ${refused.length} refused. The gate fails.\n`;
}

function toMarkdown({ base, candidate, refused }: GateRefusal): string {
  const more = refused.length - MAX_LISTED;
  return [
    STICKY_MARKER,
    "## ❌ Drift gate: nothing was compared (fails)",
    "",
    `${codeSpan(base)} → ${codeSpan(candidate)}`,
    "",
    ...refused.slice(0, MAX_LISTED).map(({ code, message, file }) => {
      return `- ${file === undefined ? "" : `${codeSpan(file)}: `}${escapeMarkdown(preview(message, 400))} (${code})`;
    }),
    ...(more > 0 ? [`- and ${more} more`] : []),
    "",
  ].join("\n");
}

function toHtml({ base, candidate, refused }: GateRefusal): string {
  const more = refused.length - MAX_LISTED;
  const body = html`<main>
    <h1>Nothing was compared: the gate fails</h1>
    <p><code>${preview(base, 200)}</code> against <code>${preview(candidate, 200)}</code></p>
    <ul>
      ${refused
        .slice(0, MAX_LISTED)
        .map(
          ({ code, message, file = "" }) =>
            html`<li><code>${preview(file, 200)}</code> ${preview(message, 400)} (${code})</li> `,
        )}${more > 0 && html`<li>and ${more} more</li>`}
    </ul>
  </main>`;
  return toPage({ title: TITLE, style: PAGE_STYLE, script: "", body });
}
