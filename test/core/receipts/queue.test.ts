import { describe, expect, it } from "vitest";
import { MAX_DEFERRED_RECEIPTS } from "../../../src/core/limits.js";
import { createReceiptQueue, PAUSE_BATCH, type QueueEntry } from "../../../src/core/receipts/queue.js";

/** A queue of numbers, what was written of it, and its timers, which fire when they are told to. */
function openQueue(write: (item: number) => boolean | Promise<boolean> = () => true) {
  const written: number[] = [];
  const timers = new Set<() => void>();
  const timer = (ms: number, fire: () => void) => {
    expect(ms).toBe(0);
    timers.add(fire);
    return () => void timers.delete(fire);
  };
  const queue = createReceiptQueue<number>(
    ({ item }) => {
      written.push(item);
      return write(item);
    },
    { timer },
  );
  const pause = () => {
    for (const fire of [...timers]) {
      timers.delete(fire);
      fire();
    }
  };
  const add = (count: number) => Array.from({ length: count }, (_, index) => queue.add(index));
  return { queue, written, timers, pause, add };
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => index);

describe("createReceiptQueue", () => {
  it("writes nothing while the loop goes on by promises alone", async () => {
    const { queue, written, add } = openQueue();
    add(3);
    for (let index = 0; index < 1_000; index++) await Promise.resolve();
    expect([written, queue.size()]).toEqual([[], 3]);
  });

  it("writes one batch in each pause, with one timer at a time and none for nothing", () => {
    const { queue, written, timers, pause, add } = openQueue();
    add(PAUSE_BATCH + 2);
    expect(timers.size).toBe(1);
    pause();
    expect([written, timers.size]).toEqual([upTo(PAUSE_BATCH), 1]);
    pause();
    expect([written, timers.size, queue.size()]).toEqual([upTo(PAUSE_BATCH + 2), 0, 0]);
  });

  it("writes up to what somebody waits for, at once, and leaves what is behind it to the next pause", async () => {
    const { queue, written, timers, pause, add } = openQueue();
    const [, second] = add(3) as [QueueEntry<number>, QueueEntry<number>, QueueEntry<number>];
    const settled = queue.settle(second);
    expect(written).toEqual([0, 1]);
    expect(await settled).toBe(true);
    expect(await queue.settle(second)).toBe(true);
    expect([written, timers.size]).toEqual([[0, 1], 1]);
    pause();
    expect(written).toEqual([0, 1, 2]);
  });

  it("leaves no timer behind when all is written", async () => {
    const { queue, written, timers, add } = openQueue();
    add(3);
    await queue.settleAll();
    await queue.settleAll();
    expect([written, timers.size]).toEqual([[0, 1, 2], 0]);
  });

  it("writes the oldest at once where more wait than may, so that a key that signs at once bounds the memory", () => {
    const { queue, written, add } = openQueue();
    add(MAX_DEFERRED_RECEIPTS);
    expect(written).toEqual([]);
    add(3);
    expect([written, queue.size()]).toEqual([[0, 1, 2], MAX_DEFERRED_RECEIPTS]);
  });

  it("goes on with one at a time where writing takes its time, and tells each what became of its own", async () => {
    const open: ((isWritten: boolean) => void)[] = [];
    const { queue, written, add } = openQueue(() => new Promise((resolve) => open.push(resolve)));
    const [first, second] = add(2) as [QueueEntry<number>, QueueEntry<number>];
    const settled = Promise.all([queue.settle(second), queue.settle(first)]);
    expect([written, queue.size()]).toEqual([[0], 2]);
    open.shift()?.(true);
    while (open.length === 0) await Promise.resolve();
    expect([written, queue.size()]).toEqual([[0, 1], 1]);
    open.shift()?.(false);
    expect(await settled).toEqual([false, true]);
  });

  it("takes more while it writes, also from what is written", async () => {
    const more: number[] = [7];
    const { queue, written, add } = openQueue(() => {
      for (const item of more.splice(0)) queue.add(item);
      return true;
    });
    add(2);
    await queue.settleAll();
    expect(written).toEqual([0, 1]);
    await queue.settleAll();
    expect(written).toEqual([0, 1, 7]);
  });
});
