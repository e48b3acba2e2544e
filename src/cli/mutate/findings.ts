// The result of a mutation run: a table by kind, a score, and every survivor with the command that runs it again.

import { cutAround } from "../../cassette/index.js";
import { shellText, MUTANT_KINDS, type Mutant, type MutantKind } from "../../harness/index.js";
import type { CommandIo } from "../terminal/io.js";
import { count, createPrinter, type PrintLine } from "../terminal/output.js";
import { shortenMutant } from "./report-file.js";
import type { Suite } from "./suite.js";
import type { Outcome, Trial } from "./trial.js";

export interface Findings {
  suite: Suite;
  found: number;
  cut: readonly string[];
  chosen: readonly Mutant[];
  trials: ReadonlyMap<string, Trial>;
  /** The trials of the report. One that is also in `trials` was not run again. */
  reported: ReadonlyMap<string, Trial>;
  command: readonly string[];
  seed: string;
  baselineMs: number;
  timeoutMs: number;
}

type Tally = Record<Outcome | "notRun", number>;

/** The fields of the JSON document. `score` is noticed ÷ (noticed + survived), null where there is neither. */
export function toDocument(findings: Findings): object {
  const { suite, found, cut, chosen, trials, command, seed, baselineMs, timeoutMs } = findings;
  const of = (outcome: Outcome) => chosen.filter(({ id }) => trials.get(id)?.outcome === outcome);
  return {
    ran: command,
    seed,
    baselineMs,
    timeoutMs,
    score: scoreOf(tally(findings)),
    fromReport: earlierOf(findings),
    found,
    chosen: chosen.length,
    kinds: Object.fromEntries(kindsOf(chosen).map((kind) => [kind, tally(findings, kind)])),
    survived: of("survived").map((mutant) => ({ ...shortenMutant(mutant), again: againText(mutant, findings) })),
    timedOut: of("noticed").flatMap(({ id }) => (trials.get(id)?.isTimedOut === true ? [id] : [])),
    unused: of("unused").map(({ id, file }) => ({ id, file })),
    unusedCassettes: suite.unused,
    leftOut: suite.leftOut,
    cut,
  };
}

export function printFindings(findings: Findings, io: CommandIo): void {
  const { suite, found, cut, chosen, trials, seed, baselineMs } = findings;
  const line = createPrinter(io);
  const whole = tally(findings);
  printRow(line, "", "noticed", "survived", "unused", "not run");
  for (const kind of kindsOf(chosen)) printRow(line, kind, ...Object.values(tally(findings, kind)));
  printRow(line, "all", ...Object.values(whole));
  const survivors = chosen.filter(({ id }) => trials.get(id)?.outcome === "survived");
  for (const mutant of survivors) printSurvivor(mutant, findings, line);
  line("");
  const score = scoreOf(whole);
  const judged = whole.noticed + whole.survived;
  if (chosen.length === 0) line("no mutant to run: there are fewer than shards");
  else if (score === null) line({ look: "bad", text: "no conclusion: the command loaded none of the mutants" });
  else {
    const text = `mutation score ${Math.floor(score * 100)} %: ${whole.noticed} of ${count(judged, "mutant")} noticed`;
    line({ look: whole.survived > 0 ? "bad" : "good", text });
  }
  const seconds = (baselineMs / 1000).toFixed(1);
  printEarlier(findings, line);
  line(`  ${chosen.length} of ${found} possible mutants chosen, seed ${seed}; the unchanged run took ${seconds} s`);
  const timedOut = [...trials.values()].filter(({ isTimedOut }) => isTimedOut).length;
  if (timedOut > 0)
    line(`  ${count(timedOut, "run")} did not end in time and ${timedOut === 1 ? "was" : "were"} killed`);
  for (const file of suite.unused) line({ look: "warn", text: "  no test loads  " }, file);
  for (const { file, why } of suite.leftOut) line({ look: "warn", text: "  left out       " }, file, `: ${why}`);
  for (const file of cut) line({ look: "warn", text: "  mutated in part " }, file);
}

function printSurvivor(mutant: Mutant, findings: Findings, line: PrintLine): void {
  const [old, now = "(gone)"] = cutAround(mutant.old, mutant.new);
  line("");
  line({ look: "bad", text: "survived " }, `${mutant.id}  ${mutant.kind}  `, mutant.file, `  turn ${mutant.turn}`);
  line("  ", mutant.sentence);
  line("  at     ", mutant.pointer);
  line("  change ", old ?? "", " → ", now);
  line("  again  ", againText(mutant, findings));
}

/**
 * The number of outcomes from the report, after which the tests may have changed. `from` and `to` are when the first and the last of them
 * ended, ISO 8601; null if the report does not say.
 */
function earlierOf({ chosen, trials, reported }: Findings) {
  const earlier = chosen.flatMap(({ id }) => {
    const trial = reported.get(id);
    return trial !== undefined && trials.get(id) === trial ? trial : [];
  });
  const dates = earlier.flatMap(({ endedAt }) => endedAt ?? []).sort();
  const isWhole = dates.length === earlier.length;
  return { outcomes: earlier.length, from: (isWhole ? dates[0] : null) ?? null, to: dates.at(-1) ?? null };
}

function printEarlier(findings: Findings, line: PrintLine): void {
  const { outcomes, from, to } = earlierOf(findings);
  if (outcomes === 0) return;
  const [first, last] = [from, to].map((date) =>
    date === null ? "an unknown time" : `${date.slice(0, 10)} ${date.slice(11, 16)} UTC`,
  );
  const when = first === last ? first : `${first} to ${last}`;
  const are = outcomes === 1 ? "is" : "are";
  const text = `${outcomes} of ${count(findings.trials.size, "outcome")} ${are} from the report, of ${when}`;
  line({ look: "warn", text: `  ${text}; they do not reflect later changes of tests` });
}

function againText({ id, file }: Mutant, { command, seed }: Findings): string {
  const seeded = seed === "1" ? [] : ["--seed", seed];
  return ["cassette", "mutate", ...seeded, "--only", id, file, "--", ...command].map(shellText).join(" ");
}

function tally({ chosen, trials }: Findings, kind?: MutantKind): Tally {
  const counts: Tally = { noticed: 0, survived: 0, unused: 0, notRun: 0 };
  for (const mutant of chosen) {
    if (kind === undefined || mutant.kind === kind) counts[trials.get(mutant.id)?.outcome ?? "notRun"]++;
  }
  return counts;
}

function kindsOf(mutants: readonly Mutant[]): MutantKind[] {
  return MUTANT_KINDS.filter((kind) => mutants.some((mutant) => mutant.kind === kind));
}

function scoreOf({ noticed, survived }: Tally): number | null {
  return noticed + survived === 0 ? null : noticed / (noticed + survived);
}

function printRow(line: PrintLine, name: string, ...cells: (string | number)[]): void {
  line(name.padEnd(10) + cells.map((cell) => String(cell).padStart(10)).join(""));
}
