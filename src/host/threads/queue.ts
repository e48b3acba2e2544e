// Which jobs does a thread get next? Batches from the front, large while much is left and small towards the end, so that all
// threads end together; and alone those that a thread died over.

/** At most this many jobs are ahead of the oldest that has no result yet. */
const WINDOW = 4_096;
const MAX_BATCH = 16;
/** A thread is given its share of what is left in this many batches. */
const BATCHES_EACH = 8;

/** Indexes of jobs. `isRetry`: one job alone, which its thread had in hand when it died. */
export interface Batch {
  readonly indexes: readonly number[];
  readonly isRetry: boolean;
}

export interface BatchQueue {
  /** Undefined where there is nothing left, or nothing yet. `isIdle`: a retry waits for a thread with nothing else in hand. */
  take(isIdle: boolean, oldest: number): Batch | undefined;
  /** Takes back what a thread had in hand when it died, and gives the job that is to blame, if that is certain. */
  giveBack(batches: readonly Batch[]): number | undefined;
}

export function createBatchQueue(from: number, total: number, threads: number): BatchQueue {
  const retries: number[] = [];
  let next = from;
  return {
    take(isIdle, oldest) {
      const retry = isIdle ? retries.shift() : undefined;
      if (retry !== undefined) return { indexes: [retry], isRetry: true };
      const size = Math.min(MAX_BATCH, Math.ceil((total - next) / (threads * BATCHES_EACH)), oldest + WINDOW - next);
      if (size <= 0) return undefined;
      const indexes = Array.from({ length: size }, (_, offset) => next + offset);
      next += size;
      return { indexes, isRetry: false };
    },
    giveBack(batches) {
      const [first] = batches;
      if (first?.isRetry === true) return first.indexes[0];
      retries.push(...batches.flatMap(({ indexes }) => indexes));
      return undefined;
    },
  };
}
