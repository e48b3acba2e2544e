// Receipts that wait to be written: first in, first out, one at a time, while the loop goes on. A batch is written when the loop
// waits for something (a timer fires then), all up to an entry that somebody waits for, and the oldest at once if too many wait.

import { MAX_DEFERRED_RECEIPTS } from "../limits.js";
import type { Ports } from "../ports.js";

/** Receipts written in one pause, at about 50 microseconds each (measured). */
export const PAUSE_BATCH = 16;

/** One place in the order. `isWritten` is undefined while it waits. */
export interface QueueEntry<Item> {
  readonly item: Item;
  isWritten: boolean | undefined;
  waiters: ((isWritten: boolean) => void)[] | undefined;
}

export interface ReceiptQueue<Item> {
  /** Counts the entries that are not written, including the one in hand. */
  size(): number;
  add(item: Item): QueueEntry<Item>;
  /** Writes all up to `entry` without a pause, and resolves to whether it was written. */
  settle(entry: QueueEntry<Item>): Promise<boolean>;
  settleAll(): Promise<void>;
}

/** `write` resolves to false for an entry that could not be written. It never throws or rejects. */
export function createReceiptQueue<Item>(
  write: (entry: QueueEntry<Item>) => boolean | Promise<boolean>,
  ports: Pick<Ports, "timer">,
): ReceiptQueue<Item> {
  const waiting: QueueEntry<Item>[] = [];
  /** Entries somebody waits for. */
  let wanted = 0;
  let isWriting = false;
  const pause = createPause(ports, () => void writeOldest(PAUSE_BATCH));

  /** Writes the oldest while somebody waits for one, while too many wait, or `most` of them. */
  async function writeOldest(most: number): Promise<void> {
    if (isWriting) return;
    isWriting = true;
    for (let left = most; wanted > 0 || waiting.length > MAX_DEFERRED_RECEIPTS || left > 0; left--) {
      const [entry] = waiting;
      if (entry === undefined) break;
      const written = write(entry);
      entry.isWritten = typeof written === "boolean" ? written : await written;
      waiting.shift();
      tell(entry, entry.isWritten);
    }
    isWriting = false;
    if (waiting.length > 0) pause.arm();
    else pause.disarm();
  }

  function tell({ waiters = [] }: QueueEntry<Item>, isWritten: boolean): void {
    wanted -= waiters.length;
    for (const waiter of waiters) waiter(isWritten);
  }

  function settle(entry: QueueEntry<Item>): Promise<boolean> {
    if (entry.isWritten !== undefined) return Promise.resolve(entry.isWritten);
    return new Promise((resolve) => {
      (entry.waiters ??= []).push(resolve);
      wanted += 1;
      void writeOldest(0);
    });
  }

  return {
    size: () => waiting.length,
    add(item) {
      const entry: QueueEntry<Item> = { item, isWritten: undefined, waiters: undefined };
      waiting.push(entry);
      if (waiting.length > MAX_DEFERRED_RECEIPTS) void writeOldest(0);
      else if (!isWriting) pause.arm();
      return entry;
    },
    settle,
    async settleAll() {
      const last = waiting.at(-1);
      if (last !== undefined) await settle(last);
    },
  };
}

/** Calls `go` once at the next pause: a timer fires when the loop waits for I/O such as a model or a file. */
function createPause(ports: Pick<Ports, "timer">, go: () => void): { arm(): void; disarm(): void } {
  let isArmed = false;
  let stop: (() => void) | undefined;
  return {
    arm() {
      if (isArmed) return;
      isArmed = true;
      let hasFired = false;
      const cancel = ports.timer(0, () => {
        [hasFired, isArmed, stop] = [true, false, undefined];
        go();
      });
      // The port of a test may fire at once.
      if (!hasFired) stop = cancel;
    },
    disarm() {
      stop?.();
      [isArmed, stop] = [false, undefined];
    },
  };
}
