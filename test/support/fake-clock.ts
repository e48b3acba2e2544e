// Time that passes only when nothing else can happen: the next timer fires once all that could go on without it has.

import type { Ports } from "../../src/core/ports.js";

export interface FakeClock {
  readonly ports: Pick<Ports, "now" | "timer">;
  now: number;
  /** Timers that are set. */
  readonly pending: number;
  /** Resolves after `ms` of this time. */
  sleep(ms: number): Promise<void>;
  /** Lets time pass until `work` is settled. Throws when it never will be. */
  until<T>(work: Promise<T>): Promise<T>;
}

/** More than any chain of promises here is long. */
const IDLE_ROUNDS = 5;

export function fakeClock(start = 1_000_000): FakeClock {
  const timers = new Map<number, { at: number; fire: () => void }>();
  let count = 0;
  const timer: Ports["timer"] = (ms, fire) => {
    const id = count++;
    timers.set(id, { at: clock.now + ms, fire });
    return () => void timers.delete(id);
  };
  const clock: FakeClock = {
    now: start,
    ports: { now: () => clock.now, timer },
    get pending() {
      return timers.size;
    },
    sleep: (ms) => new Promise((resolve) => void timer(ms, resolve)),
    async until(work) {
      let isSettled = false;
      const settle = () => void (isSettled = true);
      work.then(settle, settle);
      for (let idle = 0; !isSettled;) {
        await new Promise((resolve) => setImmediate(resolve));
        if (idle++ < IDLE_ROUNDS) continue;
        const next = [...timers].sort(([a, one], [b, other]) => one.at - other.at || a - b)[0];
        if (next === undefined) throw new Error("nothing can happen any more, and it is not settled");
        timers.delete(next[0]);
        clock.now = Math.max(clock.now, next[1].at);
        next[1].fire();
        idle = 0;
      }
      return work;
    },
  };
  return clock;
}
