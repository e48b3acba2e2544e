// Rows of figures as text for a terminal and as Markdown. They have two or three digits, because more would not be
// reproducible.

/** The columns after a name: the median, the middle half, the number of samples. */
const FIGURES_WIDTH = 38;
const INDENT = 4;

/** If a row does not fit into `columns`, its figures are on a line of their own. */
export function formatTable({ title, unit, rows }, columns = Infinity) {
  const longest = Math.max(...rows.map((row) => row.name.length), 12);
  const isWide = longest + FIGURES_WIDTH <= columns;
  const width = isWide ? longest : INDENT;
  const label = (name) => (isWide ? name.padEnd(width) : `${name}\n${"".padEnd(width)}`);
  const lines = rows.map((row) => {
    if (row.failed !== undefined) return `${label(row.name)}  did not run: ${firstLine(row.failed)}`;
    const spread = `${formatNumber(row.low)} … ${formatNumber(row.high)}`;
    return `${label(row.name)}  ${formatNumber(row.median).padStart(9)}  ${spread.padStart(19)}  ${String(row.samples).padStart(4)}`;
  });
  const head = `${"".padEnd(width)}  ${"median".padStart(9)}  ${"middle half".padStart(19)}  ${"n".padStart(4)}`;
  return [`${title} [${unit}]`, head, ...lines, ""].join("\n");
}

export function toMarkdown({ title, unit, rows }) {
  const lines = rows.map((row) => {
    if (row.failed !== undefined) return `| ${row.name} | did not run: ${toCell(row.failed)} | | |`;
    return `| ${row.name} | ${formatNumber(row.median)} | ${formatNumber(row.low)} … ${formatNumber(row.high)} | ${row.samples} |`;
  });
  const head = [`| | median, ${unit} | middle half | samples |`, "| --- | ---: | ---: | ---: |"];
  return [`### ${title}`, "", ...head, ...lines, ""].join("\n");
}

export function formatNumber(value) {
  if (value === 0) return "0";
  return Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

/** An error's first line, short enough for a row. */
export function firstLine(text) {
  return text.split("\n", 1)[0].slice(0, 160);
}

function toCell(text) {
  return firstLine(text).replaceAll("|", "\\|");
}
