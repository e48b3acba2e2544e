// Where the cells of one run wait. A port, so that a queue which several machines share can take the place of this one: what it
// is given and what it answers is plain data, and each answer may be waited for.

type Maybe<T> = T | Promise<T>;

export interface QueuedCell {
  /** Unique within a run. */
  readonly id: number;
  readonly target: string;
  /** The one member that may run it; absent when any may. */
  readonly member?: string;
}

export type Claim =
  | { readonly kind: "claimed"; readonly cell: QueuedCell }
  /** There are cells for this member, and all are of targets that it asked to leave. */
  | { readonly kind: "later" }
  | { readonly kind: "empty" };

/**
 * Contract: a cell is claimed by one caller at a time, and never again once it is complete. A member gets its cells in the
 * order in which they were enqueued, but for those it asked to leave.
 */
export interface FleetQueue {
  enqueue(cells: readonly QueuedCell[]): Maybe<void>;
  /** The first cell for `member` whose target is not in `held`. */
  claim(member: string, held: ReadonlyMap<string, number>): Maybe<Claim>;
  complete(id: number): Maybe<void>;
}

/** The queue of a fleet in one process. A cell that is claimed and never completed is gone with the process. */
export function createLocalQueue(): FleetQueue {
  const ANY = "";
  /** By member, and under `ANY` those without one; each in order. */
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
    complete(id) {
      if (!claimed.delete(id)) throw new Error(`cell ${id} was completed without being claimed`);
    },
  };
}
