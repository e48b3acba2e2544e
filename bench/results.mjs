// Writes bench/results.md from the tables of one run, beginning with the goals.

import { formatGoals } from "./goals.mjs";
import { formatMachine } from "./machine.mjs";
import { formatNumber, toMarkdown } from "./table.mjs";

export function formatResults({ machine, goals, tables, versions, clock, takenAt }) {
  const peers = Object.values(versions);
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
