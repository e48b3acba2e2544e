// A table of a report as data, and as plain text and Markdown. `../html/table-page.ts` writes the same table as a page.

import { toVisible } from "../../../core/index.js";
import { preview } from "../../html/text-view.js";
import { escapeMarkdown } from "../markdown-text.js";

/** The cells of a table, all of one length. The first row has the names of the columns. */
export interface ReportTable {
  rows: string[][];
  /** What the table leaves out, one sentence each. */
  notes: string[];
}

export const SHOWN_CELL = 80;

/** The lines of the table as plain text, in columns. */
export function tableLines({ rows, notes }: ReportTable): string[] {
  const shown = rows.map((row) => row.map((cell) => toVisible(cell)));
  const widths = (shown[0] ?? []).map((_, column) => Math.max(...shown.map((row) => row[column]?.length ?? 0)));
  const line = (row: readonly string[]): string =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [...shown.map(line), ...notes];
}

/** The table as Markdown, each note as a paragraph. */
export function tableMarkdown({ rows: [head = [], ...body], notes }: ReportTable, longest = SHOWN_CELL): string {
  const toRow = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => escapeMarkdown(preview(cell, longest))).join(" | ")} |`;
  const rule = `| ${head.map(() => "---").join(" | ")} |`;
  return [toRow(head), rule, ...body.map(toRow), "", ...notes.flatMap((note) => [escapeMarkdown(note), ""])].join("\n");
}
