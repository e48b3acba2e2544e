import { expect, it } from "vitest";
import { createEventBroadcast } from "../../../src/core/events/broadcast.js";

async function take<T>(reader: AsyncIterable<T>, count: number): Promise<T[]> {
  const seen: T[] = [];
  if (count > 0) for await (const item of reader) if (seen.push(item) >= count) break;
  return seen;
}

it("gives each reader all items since it came, in order, and ends it when closed", async () => {
  const broadcast = createEventBroadcast<number>();
  broadcast.publish(0);
  const [one, other] = [broadcast.subscribe(), broadcast.subscribe()];
  const early = one.next();
  [1, 2, 3].forEach((item) => broadcast.publish(item));
  broadcast.close();
  broadcast.publish(4);
  expect(await early).toEqual({ done: false, value: 1 });
  expect(await take(one, 9)).toEqual([2, 3]);
  expect(await take(other, 9)).toEqual([1, 2, 3]);
  expect(await take(broadcast.subscribe(), 9)).toEqual([]);
});

it("drops the oldest beyond its capacity, and tells how many, also in between", async () => {
  const broadcast = createEventBroadcast<number>({ capacity: 3 });
  const reader = broadcast.subscribe();
  for (let item = 0; item < 10; item++) broadcast.publish(item);
  expect([(await reader.next()).value, (await reader.next()).value]).toEqual([{ kind: "lagged", missed: 7 }, 7]);
  for (let item = 10; item < 13; item++) broadcast.publish(item);
  broadcast.close();
  expect(await take(reader, 9)).toEqual([{ kind: "lagged", missed: 2 }, 10, 11, 12]);
});

it("tells a slow reader of 10,000 events the exact number of those it missed, and holds no more than its capacity", async () => {
  const broadcast = createEventBroadcast<number>({ capacity: 100 });
  const reader = broadcast.subscribe();
  for (let item = 0; item < 10_000; item++) broadcast.publish(item);
  broadcast.close();
  const seen = await take(reader, 20_000);
  expect(seen).toHaveLength(101);
  expect(seen[0]).toEqual({ kind: "lagged", missed: 9_900 });
  expect(seen.slice(1)).toEqual(Array.from({ length: 100 }, (_, index) => 9_900 + index));
});

it("has at most 1,000 readers, and a reader that left does not count", async () => {
  const broadcast = createEventBroadcast<number>();
  const readers = Array.from({ length: 1_000 }, () => broadcast.subscribe());
  expect(() => broadcast.subscribe()).toThrow(/1000 readers, its limit/);
  await readers[0]?.return?.();
  expect(() => broadcast.subscribe()).not.toThrow();
  expect(() => createEventBroadcast({ capacity: 0 })).toThrow(/capacity of createEventBroadcast is 0/);
});
