// Decides which jobs a thread gets next: batches from the front, smaller towards the end, so that all threads end together. The jobs of a
// thread that died are retried one by one.

/** Limit of jobs ahead of the oldest one without a result. */
const WINDOW = 4_096;
const BATCH = 16;
/** A thread gets its share of the remaining jobs in this many batches. */
const BATCHES_EACH = 8;

/** Indexes of jobs. `isRetry`: a single job of a thread that died. */
export interface Batch {
  readonly indexes: readonly number[];
  readonly isRetry: boolean;
}

interface BatchQueue {
  /** Undefined if nothing is left, or nothing yet. A retry waits for an idle thread. */
  take(isIdle: boolean, oldest: number): Batch | undefined;
  /** Takes back the batches of a thread that died, and returns the job that caused it, if that is certain: a retry that had begun. */
  giveBack(batches: readonly Batch[], hadBegun: boolean): number | undefined;
}

export function createBatchQueue(from: number, total: number, threads: number): BatchQueue {
  const retries: number[] = [];
  let next = from;
  return {
    take(isIdle, oldest) {
      const retry = isIdle ? retries.shift() : undefined;
      if (retry !== undefined) return { indexes: [retry], isRetry: true };
      const size = Math.min(BATCH, Math.ceil((total - next) / (threads * BATCHES_EACH)), oldest + WINDOW - next);
      if (size <= 0) return undefined;
      const indexes = Array.from({ length: size }, (_, offset) => next + offset);
      next += size;
      return { indexes, isRetry: false };
    },
    giveBack(batches, hadBegun) {
      const [first] = batches;
      if (first?.isRetry === true && hadBegun) return first.indexes[0];
      retries.push(...batches.flatMap(({ indexes }) => indexes));
      return undefined;
    },
  };
}
