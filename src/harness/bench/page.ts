// The report of a benchmark of commands as a page, with a plot of the time of each turn over the conversation.

import { html, type Html } from "../html/template.js";
import { tableView, toTablePage } from "../reports/html/table-page.js";
import { benchSetting, benchTable, noiseLines, timeText, verdictLines } from "./report-text.js";
import type { BenchedLength, BenchReport } from "./report.js";

// Those of the `viewBox` below.
const WIDTH = 960;
const HEIGHT = 280;
const LEFT = 80;
const BOTTOM = 30;

export function benchHtml(report: BenchReport): string {
  const { cassette, ran, reference } = report;
  const head = html`<h1>${ran}</h1>
    ${reference === undefined ? undefined : html`<p class="note">against ${reference}</p>`}
    <p class="note">with ${cassette}. ${benchSetting(report)}.</p>
    ${[...verdictLines(report), ...noiseLines(report)].map((line) => html`<p class="plain">${line}</p>`)}`;
  const plots = report.lengths.map(
    (length) =>
      html`<h2>${length.turns} turns</h2>
        ${plot(length)}`,
  );
  return toTablePage("cassette bench", head, [tableView(benchTable(report)), ...plots]);
}

/** The median of each pause: the command in the accent colour, its reference in grey. */
function plot({ command, reference }: BenchedLength): Html {
  const most = [...command.pauses, ...(reference?.pauses ?? [])].reduce((a, b) => Math.max(a, b), 0);
  const last = Math.max(1, command.pauses.length - 1);
  const place = (pause: number, at: number): string => {
    const x = LEFT + (at / last) * (WIDTH - LEFT - 10);
    return `${x.toFixed(1)},${(HEIGHT - BOTTOM - (pause / most) * (HEIGHT - BOTTOM - 20)).toFixed(1)}`;
  };
  const line = (pauses: readonly number[], colour: string): Html =>
    html`<polyline fill="none" stroke="${colour}" stroke-width="1.5" points="${pauses.map(place).join(" ")}" />`;
  const label = (pause: number): Html => {
    const [, y = ""] = place(pause, 0).split(",");
    return html`<text x="${LEFT - 8}" y="${y}" text-anchor="end" font-size="12" fill="currentColor"
        >${timeText(pause)}</text
      >
      <path d="M${LEFT} ${y}H${WIDTH}" stroke="currentColor" stroke-opacity="0.2" />`;
  };
  return html`<figure>
    <svg viewBox="0 0 960 280" role="img" aria-label="Time of each turn" width="100%">
      ${[0, most / 2, most].map(label)} ${reference === undefined ? undefined : line(reference.pauses, "#8a919c")}
      ${line(command.pauses, "#3b6be0")}
    </svg>
    <figcaption class="note">
      The median of each turn over the conversation,
      blue${reference === undefined ? "" : ", and of the reference, grey"}.
    </figcaption>
  </figure>`;
}
