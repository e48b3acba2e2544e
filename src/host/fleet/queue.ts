// The queue for the cells of one run. It is a port that machines can share, so its data is plain and its answers may be promises.

import type { FleetCell } from "./cell.js";

type Maybe<T> = T | Promise<T>;

/** Runs `work` once and stores its result, plain JSON, under `name`. Called again for the same cell, it returns the stored result. */
export type FleetStep = <T>(name: string, work: () => Promise<T>) => Promise<T>;

export interface QueuedCell {
  /** Unique within a run. */
  readonly id: number;
  readonly target: string;
  /** The only member that may run it. Absent if any may. */
  readonly member?: string;
}

type Claim =
  | { readonly kind: "claimed"; readonly cell: QueuedCell; readonly attempt?: number }
  /** Each open cell for this member has a held target, or runs elsewhere. Ask again after `ms`. Default: when a target is free. */
  | { readonly kind: "later"; readonly ms?: number }
  | { readonly kind: "empty" };

/**
 * Contract: one caller at a time claims a cell, and nobody claims it again once it is complete. A member gets its cells in the order of
 * the queue, except held ones.
 */
export interface FleetQueue {
  enqueue(cells: readonly QueuedCell[]): Maybe<void>;
  /** The first cell for `member` whose target is not in `held`. */
  claim(member: string, held: ReadonlyMap<string, number>): Maybe<Claim>;
  /** Resolves with the result that counts, or with undefined if another machine has the cell now. */
  complete(id: number, result: FleetCell): Maybe<FleetCell | undefined>;
  /** Takes a token for another run on `target`, or says how many ms to wait. Absent if the gates have the rates. */
  takeToken?(target: string): Maybe<number>;
  /** The steps of a claimed cell. Absent if nothing is stored. */
  steps?(id: number): FleetStep;
  /** Results from all machines. */
  settled?(): AsyncIterable<{ readonly id: number; readonly cell: FleetCell }>;
  close?(): Promise<void>;
}

export function createLocalQueue(): FleetQueue {
  const ANY = "";
  /** The cells by member, in order. Those without a member are under `ANY`. */
  const waiting = new Map<string, Map<number, QueuedCell>>();
  const claimed = new Set<number>();

  return {
    enqueue(cells) {
      for (const cell of cells) {
        const lane = waiting.get(cell.member ?? ANY) ?? new Map<number, QueuedCell>();
        waiting.set(cell.member ?? ANY, lane.set(cell.id, cell));
      }
    },
    claim(member, held) {
      let isHeld = false;
      for (const lane of [waiting.get(member), waiting.get(ANY)]) {
        for (const cell of lane?.values() ?? []) {
          isHeld = true;
          if (held.has(cell.target)) continue;
          lane?.delete(cell.id);
          claimed.add(cell.id);
          return { kind: "claimed", cell };
        }
      }
      return { kind: isHeld ? "later" : "empty" };
    },
    complete(id, result) {
      if (!claimed.delete(id)) throw new Error(`cell ${id} was completed without being claimed`);
      return result;
    },
  };
}
