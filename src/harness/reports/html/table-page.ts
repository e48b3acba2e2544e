// A page of tables: the candidates of one comparison, or the reports of several dates.

import { toPage, type PageFrame } from "../../html/page-shell.js";
import { CONVERSATION_STYLE } from "../../html/style/conversation.js";
import { PAGE_STYLE } from "../../html/style/page.js";
import { html, type Child, type Html } from "../../html/template.js";
import { preview } from "../../html/text-view.js";
import { VERDICTS } from "../../drift/gate-report.js";
import { SHOWN_CELL, type ReportTable } from "../tables/table.js";
import { REPORT_STYLE } from "./style.js";

/** Without a frame, the page makes no network requests. */
export function toTablePage(title: string, head: Child, sections: Child, frame?: PageFrame): string {
  const body = html`<header class="top">${head}</header>
    <div class="layout plain">
      <main id="content" tabindex="-1">${sections}</main>
    </div>`;
  const style = PAGE_STYLE + CONVERSATION_STYLE + REPORT_STYLE;
  return toPage({ title, style, script: "", body, frame });
}

/** Where the names of columns and of rows lead, by their place. */
interface TableLinks {
  columns?: readonly (string | undefined)[];
  rows?: readonly (string | undefined)[];
}

/** The first cell of each row is its name. */
export function tableView(
  { rows: [head = [], ...body], notes }: ReportTable,
  links: TableLinks = {},
  longest = SHOWN_CELL,
): Html {
  const named = (text: string, address: string | undefined): Child => {
    const name = preview(text, SHOWN_CELL);
    return address === undefined ? name : html`<a href="${address}">${name}</a>`;
  };
  const column = (name: string, index: number): Html =>
    name === "" ? html`<td></td>` : html`<th scope="col">${named(name, links.columns?.[index - 1])}</th>`;
  return html`<div class="table cells" role="region" tabindex="0" aria-label="Table">
      <table>
        <thead>
          <tr>
            ${head.map(column)}
          </tr>
        </thead>
        <tbody>
          ${body.map(
            ([name = "", ...cells], index) =>
              html`<tr>
                <th scope="row">${named(name, links.rows?.[index])}</th>
                ${cells.map((cell) => cellView(preview(cell, longest)))}
              </tr> `,
          )}
        </tbody>
      </table>
    </div>
    ${notes.map((note) => html`<p class="note">${note}</p>`)}`;
}

/** Longer text may break into lines. */
const WIDE_CELL = 40;

/** A verdict has its colour. */
function cellView(cell: string): Html {
  if (cell.length > WIDE_CELL) return html`<td class="wide">${cell}</td> `;
  const [first = ""] = cell.split(" ", 1);
  const verdict = VERDICTS.find((each) => each === first);
  if (verdict === undefined) return html`<td>${cell}</td> `;
  return html`<td><span class="badge ${verdict}">${verdict}</span>${cell.slice(first.length)}</td> `;
}
