// Writes bench/results.md from the tables of one whole run, beginning with the goals. A run of some benchmarks adds its tables at the
// end, with the machine and the load of that run. They replace those of its last run, and those of the whole run.

import { formatGoals } from "./goals.mjs";
import { formatMachine } from "./machine.mjs";
import { formatNumber, toMarkdown } from "./table.mjs";

export function formatResults({ machine, goals, tables, versions, clock, takenAt }) {
  const peers = [...new Set(Object.values(versions))];
  return [
    "# Results",
    "",
    "Written by `npm run bench -- --results` (with `--peers` for the peers); not edited by hand. [README.md](README.md) says what each figure means.",
    "",
    `${formatMachine(machine)}. ${clock === "cpu" ? "Processor time" : "Wall time"}, taken ${takenAt}.`,
    ...(peers.length === 0 ? [] : ["", `Peers: ${peers.join(", ")}.`]),
    "",
    "## What to reach",
    "",
    formatGoals(goals, formatNumber),
    "",
    "## All figures",
    "",
    ...tables.map(toMarkdown),
  ].join("\n");
}

export function addResults(text, { machine, goals, tables, versions, clock, takenAt }, name) {
  const heading = `## ${name}, measured alone`;
  const [first, ...others] = text.trimEnd().split(/^(?=## )/m);
  const titles = new Set(tables.map((table) => titleOf(toMarkdown(table))));
  const kept = others
    .filter((section) => !section.startsWith(`${heading}\n`))
    .map((section) => (section.startsWith("## All figures\n") ? without(section, titles) : section).trimEnd());
  const peers = [...new Set(Object.values(versions))];
  const measured = goals.filter((goal) => goal.measured !== undefined);
  const section = [
    heading,
    "",
    `${formatMachine(machine)}. ${clock === "cpu" ? "Processor time" : "Wall time"}, taken ${takenAt}.`,
    ...(peers.length === 0 ? [] : ["", `Peers: ${peers.join(", ")}.`]),
    ...(measured.length === 0 ? [] : ["", formatGoals(measured, formatNumber)]),
    "",
    ...tables.map(toMarkdown),
  ].join("\n");
  return `${[first.trimEnd(), ...kept, section.trimEnd()].join("\n\n")}\n`;
}

/** The section without the tables of these titles, which are measured again. */
function without(section, titles) {
  const parts = section.split(/^(?=### )/m);
  return parts.filter((part) => !titles.has(titleOf(part))).join("");
}

function titleOf(markdown) {
  return /^### (.*)$/m.exec(markdown)?.[1];
}
