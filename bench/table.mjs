// Rows of figures as text for a terminal and as Markdown. Two to three digits: more would not come again.

export function formatTable({ title, unit, rows }) {
  const width = Math.max(...rows.map((row) => row.name.length), 12);
  const lines = rows.map((row) => {
    if (row.failed !== undefined) return `${row.name.padEnd(width)}  did not run: ${firstLine(row.failed)}`;
    const spread = `${formatNumber(row.low)} … ${formatNumber(row.high)}`;
    return `${row.name.padEnd(width)}  ${formatNumber(row.median).padStart(9)}  ${spread.padStart(19)}  ${String(row.samples).padStart(4)}`;
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
