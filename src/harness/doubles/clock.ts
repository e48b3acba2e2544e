// A clock that stands still until a test moves it. No run waits in real time, and a run takes the same time on every machine.

import { isThenable, sleep, type Ports } from "../../core/index.js";
import { HarnessError } from "../errors.js";
import { MAX_FIRED_TIMERS } from "../limits.js";
import { refuseValue } from "./unclear.js";

/** Pass it as `ports`, alone or with others: `{ ports: clock }`, `{ ports: { ...host.ports, now: clock.now, timer: clock.timer } }`. */
export interface FixedClock extends Pick<Ports, "now" | "timer"> {
  /** Number of timers that have not fired. */
  readonly pending: number;
  /** Resolves once the clock has moved by `ms`. Rejects with `AgentError` `aborted` if `signal` fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Moves the clock by `ms` and fires due timers, each at its own moment. Work that a timer starts runs before the next one fires. */
  advance(ms: number): Promise<void>;
  /**
   * Lets time pass until `work` settles, and settles like it. The next timer fires once nothing else can happen. Throws `HarnessError`
   * `never-settles` if no timer is left, or after `maxTimers` timers, {@link MAX_FIRED_TIMERS} by default.
   */
  until<T>(work: Promise<T>, maxTimers?: number): Promise<T>;
  /** Sets the clock to any moment, even an earlier one, like a clock correction. Fires no timers. */
  set(at: number): void;
}

/** 2026-01-01, midnight UTC. */
export const DEFAULT_CLOCK_START = Date.UTC(2026, 0, 1);

/** The last moment of a Date, because recorded moments are dates. */
const LAST_MOMENT = 8_640_000_000_000_000;

/** More turns of the event loop than any chain of promises takes here. */
const IDLE_TURNS = 5;

// Captured when this file loads, so that a test runner's fake timers do not stop it.
const { setImmediate: immediate, setTimeout: timeout } = globalThis as Partial<typeof globalThis>;
const nextTurn = (go: () => void): void => {
  if (immediate === undefined) timeout?.(go, 0);
  else immediate(go);
};

interface Timer {
  readonly at: number;
  /** Orders the timers of one moment by when they were set. */
  readonly order: number;
  readonly fire: () => void;
}

/** A clock that shows `start`, in milliseconds since the Unix epoch. Throws `HarnessError` `double-unclear` for any other value. */
export function fixedClock(start: number = DEFAULT_CLOCK_START): FixedClock {
  const timers = new Set<Timer>();
  let time = checked("start", start);
  let count = 0;

  const timer: Ports["timer"] = (ms, fire) => {
    // As in setTimeout, a delay that is not a positive number counts as 0.
    const set = { at: time + (ms > 0 ? ms : 0), order: count++, fire };
    timers.add(set);
    return () => void timers.delete(set);
  };
  const next = (): Timer | undefined => {
    let first: Timer | undefined;
    for (const one of timers) if (one.at <= LAST_MOMENT && (first === undefined || isBefore(one, first))) first = one;
    return first;
  };
  const fire = (due: Timer): void => {
    timers.delete(due);
    time = Math.max(time, due.at);
    due.fire();
  };

  return {
    now: () => time,
    timer,
    get pending() {
      return timers.size;
    },
    async sleep(ms, signal) {
      if (typeof ms !== "number" || Number.isNaN(ms)) refuseValue("the milliseconds of sleep", ms, "Give a number.");
      // The core's sleep is limited to what a machine's timer can wait; this clock has no such limit.
      await sleep(0, { timer: (_capped, fire) => timer(ms, fire) }, signal);
    },
    async advance(ms) {
      const hint = "Pass 0 or more. `set` moves a clock back.";
      if (typeof ms !== "number" || !(ms >= 0)) refuseValue("the milliseconds of advance", ms, hint);
      const end = checked("the moment that advance goes to", time + ms);
      for (let fired = 0; ; fired++) {
        await untilIdle();
        const due = next();
        if (due === undefined || due.at > end) break;
        if (fired === MAX_FIRED_TIMERS) throw endless(`advance(${ms})`, fired);
        fire(due);
      }
      time = Math.max(time, end);
    },
    async until(work, maxTimers = MAX_FIRED_TIMERS) {
      if (!isThenable(work)) refuseValue("the work of until", work, "Give the promise of the work.");
      if (!Number.isSafeInteger(maxTimers) || maxTimers < 0)
        refuseValue("maxTimers", maxTimers, "Give a whole number.");
      let isSettled = false;
      const settle = () => void (isSettled = true);
      work.then(settle, settle);
      for (let fired = 0; ; fired++) {
        await untilIdle(() => isSettled);
        if (isSettled) return work;
        const due = next();
        if (due === undefined) throw stuck();
        if (fired === maxTimers) throw endless("until", maxTimers);
        fire(due);
      }
    },
    set(at) {
      time = checked("the moment of set", at);
    },
  };
}

/** Waits until all pending work has run as far as it can, or until `isOver`. */
async function untilIdle(isOver: () => boolean = () => false): Promise<void> {
  for (let turn = 0; turn < IDLE_TURNS && !isOver(); turn++) await new Promise<void>((resolve) => nextTurn(resolve));
}

function isBefore(one: Timer, other: Timer): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

function checked(what: string, at: unknown): number {
  if (typeof at === "number" && Math.abs(at) <= LAST_MOMENT) return at;
  refuseValue(what, at, "Give milliseconds since the Unix epoch.");
}

function stuck(): HarnessError {
  const hint =
    "Something waits for an event that never comes, or uses another clock. Pass this clock to everything that waits.";
  return new HarnessError("never-settles", "the work has not settled, and no timer is left that could settle it", hint);
}

function endless(call: string, fired: number): HarnessError {
  const message = `${call} fired ${fired} timers, and there is always one more`;
  return new HarnessError("never-settles", message, "Something sets a new timer every time one fires.");
}
