// The report of a benchmark of commands as data.

import { toFigure, type Figure } from "./figure.js";
import { mean, shiftOf, typicalPauses, verdictOf, type BenchVerdict, type PairedRuns, type Shift } from "./noise.js";

/** One run of a command in a process of its own. Times are in microseconds. */
export interface BenchedRun {
  /** From the start of the process to its first request. */
  start: number;
  /** From each answer to the next request. */
  pauses: number[];
}

/** The cost of a command without its model. Times are in microseconds. */
export interface BenchedSide {
  start: Figure;
  /** The first pause of a process, which also loads and compiles code. */
  first: Figure;
  /** The mean pause of a run: the time of a turn. */
  turn: Figure;
  /** The time of all turns divided by the number of tool calls. Absent without calls. */
  call?: Figure;
  /** The median of each pause of the conversation. */
  pauses: number[];
}

/** The figures of one length of the conversation. */
export interface BenchedLength {
  turns: number;
  calls: number;
  command: BenchedSide;
  reference?: BenchedSide;
  /** Present with a reference. */
  shift?: Shift & { threshold: number; verdict: BenchVerdict };
}

export interface BenchReport {
  cassette: string;
  /** The command. */
  ran: string;
  reference?: string;
  /** Processes of each command and length. */
  runs: number;
  /** Whether turns are wall time, or processor time of the command. The start is always wall time. */
  clock: "wall" | "cpu";
  /** The load of the machine over the last minute, at the end, and its cores. */
  load: number;
  cores: number;
  lengths: BenchedLength[];
}

/** How much slower a turn may get: microseconds, or a share of the reference's turn. */
export interface BenchThreshold {
  amount: number;
  isRelative: boolean;
}

interface Measured {
  turns: number;
  calls: number;
  command: readonly BenchedRun[];
  /** The same number of runs, each paired with the command's run at its index. Empty without a reference. */
  reference: readonly BenchedRun[];
}

/** Summarises the runs of one length. Every run needs at least one pause. */
export function toBenchedLength(measured: Measured, { amount, isRelative }: BenchThreshold): BenchedLength {
  const { turns, calls, command, reference } = measured;
  const figures = { turns, calls, command: toSide(command, calls) };
  if (reference.length === 0) return figures;
  const pairs = command.map((run, at): PairedRuns => {
    return { candidate: run.pauses, reference: (reference[at] as BenchedRun).pauses };
  });
  const shift = shiftOf(pairs);
  const side = toSide(reference, calls);
  const threshold = isRelative ? amount * side.turn.median : amount;
  return { ...figures, reference: side, shift: { ...shift, threshold, verdict: verdictOf(shift, threshold) } };
}

function toSide(runs: readonly BenchedRun[], calls: number): BenchedSide {
  const pauses = runs.map((run) => run.pauses);
  return {
    start: toFigure(runs.map(({ start }) => start)),
    first: toFigure(pauses.map(([first]) => first as number)),
    turn: toFigure(pauses.map(mean)),
    ...(calls === 0 ? {} : { call: toFigure(pauses.map((own) => (mean(own) * own.length) / calls)) }),
    pauses: typicalPauses(pauses),
  };
}
