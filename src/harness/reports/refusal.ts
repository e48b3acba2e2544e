// The report in each format if nothing was compared, such as because a cassette was refused. CI reads it as a failure.

import { plural, toVisible, toVisibleJson } from "../../core/index.js";
import { atMost } from "../text/at-most.js";
import { toPage } from "../html/page-shell.js";
import { PAGE_STYLE } from "../html/style/page.js";
import { preview } from "../html/text-view.js";
import { html } from "../html/template.js";
import { escapeProperty, escapeData } from "./github.js";
import { element, escapeXml, testSuites } from "./junit.js";
import { codeSpan, escapeMarkdown } from "./markdown-text.js";
import { STICKY_MARKER } from "./markdown.js";
import { sarifLog, toUriReference } from "./sarif.js";

/** The reasons why nothing was compared. */
export interface GateRefusal {
  base: string;
  candidate: string;
  /** At least one. */
  refused: readonly { code: string; message: string; file?: string; hint?: string }[];
}

const TITLE = "cassette drift: nothing was compared";
const SHOWN_LINES = 100;

const WRITERS: Readonly<Record<string, (refusal: GateRefusal) => string>> = {
  text: textRefusal,
  json: (refusal) => `${toVisibleJson(JSON.stringify({ schemaVersion: 1, compared: false, ...refusal }, null, 2))}\n`,
  junit: junitRefusal,
  sarif: sarifRefusal,
  github: githubRefusal,
  markdown: markdownRefusal,
  html: htmlRefusal,
};

export function refusalText(name: string, refusal: GateRefusal): string {
  return WRITERS[name]?.(refusal) ?? textRefusal(refusal);
}

function textRefusal({ base, candidate, refused }: GateRefusal): string {
  const lines = atMost(
    refused,
    SHOWN_LINES,
    ({ code, message, file }) => `${file === undefined ? "" : `${file}: `}${message} (${code})`,
    (more) => `and ${more} more`,
  );
  return [`nothing was compared: ${base} against ${candidate}`, ...lines]
    .map((line) => `${toVisible(line)}\n`)
    .join("");
}

function junitRefusal({ base, candidate, refused }: GateRefusal): string {
  const totals = { tests: refused.length, failures: 0, errors: refused.length, skipped: 0, time: 0 };
  const cases = refused.map(({ code, message, file = "" }) => {
    const error = element("error", { message, type: code }, [escapeXml(toVisible(message))]);
    return element("testcase", { name: file || code, classname: "cassette.drift", file, time: 0 }, [error]);
  });
  return testSuites(`${base} → ${candidate}`, totals, cases);
}

function sarifRefusal({ refused }: GateRefusal): string {
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
    shortDescription: { text: "A cause why nothing was compared." },
  }));
  return sarifLog({ rules, invocation: { executionSuccessful: false }, results });
}

function githubRefusal({ refused }: GateRefusal): string {
  const lines = refused.slice(0, 9).map(({ code, message, file }) => {
    const place = file === undefined ? "" : `file=${escapeProperty(file)},`;
    return `::error ${place}title=${escapeProperty(`cassette drift: ${code}`)}::${escapeData(toVisible(message))}\n`;
  });
  return `${lines.join("")}${TITLE}. ${plural(refused.length, "error")}. The gate fails.\n`;
}

function markdownRefusal({ base, candidate, refused }: GateRefusal): string {
  const lines = atMost(
    refused,
    SHOWN_LINES,
    ({ code, message, file }) => {
      return `- ${file === undefined ? "" : `${codeSpan(file)}: `}${escapeMarkdown(preview(message, 400))} (${code})`;
    },
    (more) => `- and ${more} more`,
  );
  const sides = `${codeSpan(base)} → ${codeSpan(candidate)}`;
  return [STICKY_MARKER, "## ❌ Drift gate: nothing was compared (fails)", "", sides, "", ...lines, ""].join("\n");
}

function htmlRefusal({ base, candidate, refused }: GateRefusal): string {
  const body = html`<main>
    <h1>Nothing was compared: the gate fails</h1>
    <p><code>${preview(base, 200)}</code> against <code>${preview(candidate, 200)}</code></p>
    <ul>
      ${atMost(
        refused,
        SHOWN_LINES,
        ({ code, message, file = "" }) =>
          html`<li><code>${preview(file, 200)}</code> ${preview(message, 400)} (${code})</li> `,
        (more) => html`<li>and ${more} more</li>`,
      )}
    </ul>
  </main>`;
  return toPage({ title: TITLE, style: PAGE_STYLE, script: "", body });
}
