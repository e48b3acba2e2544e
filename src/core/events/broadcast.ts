// One stream of events to any number of readers. Publishing never waits: a reader that is too slow loses the oldest items and is told how
// many.

import { invalidOptions } from "../errors.js";
import { MAX_BROADCAST_CAPACITY, MAX_BROADCAST_READERS } from "../limits.js";
import { assertKnownOptions } from "../options.js";
import { showValue } from "../text/show.js";

/** Stands in place of `missed` items that were dropped because the reader was too slow. */
export interface Lagged {
  readonly kind: "lagged";
  readonly missed: number;
}

/** Sends items to all its readers. Created by {@link createEventBroadcast}. */
export interface EventBroadcast<T> {
  /** Gives the item to each reader. Never waits and never throws. Does nothing once closed. */
  publish(item: T): void;
  /**
   * Starts a reader: it sees all items that are published from now on, then ends when the broadcast is closed. End it by leaving its
   * loop. Throws `AgentError` `invalid-options` beyond 1,000 readers.
   */
  subscribe(): AsyncIterableIterator<T | Lagged>;
  /** Ends every reader once it has read what it holds. */
  close(): void;
}

/** Creates a broadcast that holds at most `capacity` unread items for each reader. Default 1,024. */
export function createEventBroadcast<T>(options: { readonly capacity?: number } = {}): EventBroadcast<T> {
  assertKnownOptions("createEventBroadcast", options, ["capacity"]);
  const { capacity = 1_024 } = options;
  if (!Number.isInteger(capacity) || capacity < 1 || capacity > MAX_BROADCAST_CAPACITY)
    throw invalidOptions(
      `capacity of createEventBroadcast is ${showValue(capacity)}`,
      `Use a whole number from 1 to ${MAX_BROADCAST_CAPACITY}.`,
    );
  const readers = new Set<Reader<T>>();
  let isClosed = false;
  return {
    publish(item) {
      for (const reader of readers) reader.push(item);
    },
    subscribe() {
      if (readers.size >= MAX_BROADCAST_READERS)
        throw invalidOptions(
          `the broadcast has ${readers.size} readers, its limit`,
          "End readers that are no longer needed.",
        );
      const reader = new Reader<T>(capacity, () => void readers.delete(reader));
      if (isClosed) reader.close();
      else readers.add(reader);
      return reader;
    },
    close() {
      isClosed = true;
      for (const reader of readers) reader.close();
      readers.clear();
    },
  };
}

/** A ring of unread items. */
class Reader<T> implements AsyncIterableIterator<T | Lagged> {
  readonly #capacity: number;
  readonly #leave: () => void;
  #held: T[] = [];
  #first = 0;
  #missed = 0;
  #isOver = false;
  #waiting: ((next: IteratorResult<T | Lagged>) => void)[] = [];

  constructor(capacity: number, leave: () => void) {
    this.#capacity = capacity;
    this.#leave = leave;
  }

  push(item: T): void {
    if (this.#isOver) return;
    const waiting = this.#waiting.shift();
    if (waiting !== undefined) {
      waiting({ done: false, value: item });
      return;
    }
    if (this.#held.length < this.#capacity) {
      this.#held.push(item);
      return;
    }
    this.#held[this.#first] = item;
    this.#first = (this.#first + 1) % this.#capacity;
    this.#missed += 1;
  }

  close(): void {
    this.#isOver = true;
    for (const waiting of this.#waiting.splice(0)) waiting({ done: true, value: undefined });
  }

  next(): Promise<IteratorResult<T | Lagged>> {
    if (this.#missed > 0) {
      const lagged: Lagged = Object.freeze({ kind: "lagged", missed: this.#missed });
      this.#missed = 0;
      return Promise.resolve({ done: false, value: lagged });
    }
    if (this.#held.length > 0) {
      if (this.#first > 0) {
        this.#held = [...this.#held.slice(this.#first), ...this.#held.slice(0, this.#first)];
        this.#first = 0;
      }
      return Promise.resolve({ done: false, value: this.#held.shift() as T });
    }
    if (this.#isOver) return Promise.resolve({ done: true, value: undefined });
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  return(): Promise<IteratorResult<T | Lagged>> {
    this.#held = [];
    this.#missed = 0;
    this.#first = 0;
    this.close();
    this.#leave();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }
}
