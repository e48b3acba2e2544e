// One run of a fleet. Each member has one loop per concurrent cell. A loop takes a place, claims a cell that may start now, runs it and
// returns the place. It waits for a target's rate without a place.

import { sleep, untilAborted, type Ports } from "../../core/index.js";
import type { FleetCell, FleetCounts } from "./cell.js";
import { executeCell, type CellTerms } from "./execute.js";
import type { Entry, Gates } from "./gate.js";
import type { FleetRetry, FleetRunOptions, Member, PlannedCell } from "./options.js";
import type { FleetQueue, FleetStep } from "./queue.js";
import type { RateOptions } from "./rate.js";
import type { FleetStore } from "./store.js";
import { createTally, type Tally } from "./tally.js";

/** The results of one run of a fleet. */
export interface FleetRun {
  /** In the order of the members, and then of the targets. */
  readonly cells: readonly FleetCell[];
  readonly counts: FleetCounts;
}

/** Runs the work when there is a place. */
type Limit = <Result>(work: () => Result | Promise<Result>) => Promise<Result>;

type Crew = Member & { readonly places: Limit; readonly size: number };

export interface FleetShared {
  readonly crews: readonly Crew[];
  readonly places: Limit;
  /** Prevents others from taking a token between the check of held targets and taking one. */
  readonly oneAtATime: Limit;
  readonly gates: Gates;
  readonly retry: FleetRetry | undefined;
  readonly store: FleetStore | undefined;
  readonly rate: RateOptions | undefined;
  readonly clock: () => number;
  readonly ports: Ports;
}

interface Running extends FleetShared {
  readonly job: string;
  readonly cells: readonly PlannedCell[];
  readonly queue: FleetQueue;
  readonly tally: Tally;
  readonly signal: AbortSignal;
  readonly begun: Set<Promise<Step>>;
  /** Set by the first failure of the queue, which ends the run. */
  readonly broken: { error?: unknown };
}

type Step = { readonly kind: "went-on" } | { readonly kind: "empty" } | { readonly kind: "later"; readonly ms: number };
type Claimed =
  Step | { readonly kind: "claimed"; readonly cell: PlannedCell; readonly attempt: number; readonly entry: Entry };

const EMPTY: Step = { kind: "empty" };

/** Resolves when every cell is settled, or soon after `signal` fires. Rejects if the queue fails. */
export async function runCells(
  shared: FleetShared,
  job: string,
  cells: readonly PlannedCell[],
  queue: FleetQueue,
  onProgress: FleetRunOptions["onProgress"],
  signal: AbortSignal,
): Promise<FleetRun> {
  const tally = createTally(cells, onProgress, shared.ports);
  const running: Running = { ...shared, job, cells, queue, tally, signal, begun: new Set(), broken: {} };
  // The goal stays here, because a queue has plain data.
  await queue.enqueue(cells.map(({ goal, ...queued }) => queued));
  const loops = shared.crews.flatMap((crew) =>
    Array.from({ length: Math.min(crew.size, cells.length) }, () => loop(running, crew)),
  );
  await Promise.allSettled(loops);
  await Promise.allSettled(running.begun);
  if ("error" in running.broken) throw running.broken.error;
  for await (const { id, cell } of queue.settled?.() ?? []) tally.settle(id, cell);
  return tally.finish();
}

async function loop(running: Running, crew: Crew): Promise<void> {
  const { signal, ports, places } = running;
  while (!signal.aborted && !("error" in running.broken)) {
    const taken = crew.places(() => places(() => begin(running, crew)));
    // Another run may have the place, and this abort does not end it.
    const step = await untilAborted(taken, signal).catch((error: unknown) => {
      if (signal.aborted) return EMPTY;
      throw error;
    });
    if (step.kind === "empty") return;
    if (step.kind === "later") await sleep(step.ms, ports, signal).catch(() => undefined);
  }
}

async function begin(running: Running, crew: Crew): Promise<Step> {
  const step = takeStep(running, crew);
  running.begun.add(step);
  try {
    return await step;
  } catch (error) {
    running.broken.error ??= error;
    throw error;
  } finally {
    running.begun.delete(step);
  }
}

async function takeStep(running: Running, crew: Crew): Promise<Step> {
  const { queue, tally, oneAtATime, gates, clock } = running;
  const claimed = await oneAtATime(() => claim(running, crew));
  if (claimed.kind !== "claimed") return claimed;
  const { cell, attempt, entry } = claimed;
  const reenter: CellTerms["reenter"] = () =>
    oneAtATime(async () => {
      const ms = (await queue.takeToken?.(cell.target)) ?? 0;
      return ms > 0 ? { kind: "later", ms } : gates.enter(cell.target, clock());
    });
  const begun = { attempt, step: queue.steps?.(cell.id) ?? unstored };
  const result = await executeCell(cell, crew, entry, { ...running, ...begun, reenter });
  const counting = await queue.complete(cell.id, result);
  if (counting !== undefined) tally.settle(cell.id, counting);
  return { kind: "went-on" };
}

async function claim({ signal, gates, clock, queue, cells }: Running, crew: Crew): Promise<Claimed> {
  if (signal.aborted) return EMPTY;
  const held = gates.held(clock());
  const claimed = await queue.claim(crew.id, held);
  switch (claimed.kind) {
    case "empty":
      return EMPTY;
    case "later":
      return { kind: "later", ms: claimed.ms ?? Math.min(...held.values()) };
    case "claimed": {
      const cell = cells[claimed.cell.id] as PlannedCell;
      return { kind: "claimed", cell, attempt: claimed.attempt ?? 1, entry: gates.enter(cell.target, clock()) };
    }
  }
}

/** Without a store, a step only does its work. */
const unstored: FleetStep = (_name, work) => work();
