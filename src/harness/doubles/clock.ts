// A clock that stands until it is moved. It is the `now` and the `timer` of the ports, so nothing that waits by them waits in
// real time, and a run takes the same time on every machine.

import { isThenable, showValue, sleep, type Ports } from "../../core/index.js";
import { HarnessError } from "../errors.js";

/** Hand it in as `ports`, alone or with others: `{ ports: clock }`, `{ ports: { ...host.ports, now: clock.now, timer: clock.timer } }`. */
export interface FixedClock extends Pick<Ports, "now" | "timer"> {
  /** Timers that are set and have not fired. */
  readonly pending: number;
  /** Resolves once the clock was moved by `ms`; rejects with `AgentError` `aborted` when `signal` fires first. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /**
   * Moves on by `ms` and fires what falls due, in order, each at its own moment. What a timer sets going goes on before the next
   * one fires. Resolves when all of it is done.
   */
  advance(ms: number): Promise<void>;
  /**
   * Lets time pass until `work` is settled: the next timer fires once nothing else can happen. Gives what `work` gives. Throws
   * `HarnessError` `never-settles` when no timer is left, or when so many were not enough, {@link MAX_FIRED_TIMERS} by default.
   */
  until<T>(work: Promise<T>, maxTimers?: number): Promise<T>;
  /** Sets the clock to a moment, earlier ones too, as somebody does who corrects it. No timer fires by that. */
  set(at: number): void;
}

/** Timers that one `advance` or `until` fires at most; a loop of timers without an end would go on for ever. */
export const MAX_FIRED_TIMERS = 1_000_000;

/** 2026-01-01, midnight UTC. */
export const DEFAULT_CLOCK_START = Date.UTC(2026, 0, 1);

/** What a Date can hold; a recorded moment is written as one. */
const LAST_MOMENT = 8_640_000_000_000_000;

/** More turns of the event loop than any chain of promises here takes. */
const IDLE_TURNS = 5;

// Taken when this file is loaded, so that a test runner's own fake timers do not stop it.
const { setImmediate: immediate, setTimeout: timeout } = globalThis as Partial<typeof globalThis>;
const nextTurn = (go: () => void): void => {
  if (immediate === undefined) timeout?.(go, 0);
  else immediate(go);
};

interface Timer {
  readonly at: number;
  /** By which timers of one moment fire in the order they were set. */
  readonly order: number;
  readonly fire: () => void;
}

/**
 * A clock that shows `start`, in milliseconds since the Unix epoch. Throws `HarnessError` `double-unclear` for what is
 * no moment.
 */
export function fixedClock(start: number = DEFAULT_CLOCK_START): FixedClock {
  const timers = new Set<Timer>();
  let time = checked("start", start);
  let count = 0;

  const timer: Ports["timer"] = (ms, fire) => {
    // What is no time is none, as for setTimeout.
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
      if (typeof ms !== "number" || Number.isNaN(ms)) throw unclear("the milliseconds of sleep", ms, "Give a number.");
      // That of the core waits no longer than a machine's timer can; the timers of this clock have no such end.
      await sleep(0, { timer: (_capped, fire) => timer(ms, fire) }, signal);
    },
    async advance(ms) {
      const hint = "Give 0 or more; `set` puts a clock back.";
      if (typeof ms !== "number" || !(ms >= 0)) throw unclear("the milliseconds of advance", ms, hint);
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
      if (!isThenable(work)) {
        throw new HarnessError("double-unclear", `until was given ${showValue(work)}`, "Give the promise of the work.");
      }
      if (!Number.isSafeInteger(maxTimers) || maxTimers < 0)
        throw unclear("maxTimers", maxTimers, "Give a whole number.");
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

/** Until everything has gone on that could, or `isOver` says so. */
async function untilIdle(isOver: () => boolean = () => false): Promise<void> {
  for (let turn = 0; turn < IDLE_TURNS && !isOver(); turn++) await new Promise<void>((resolve) => nextTurn(resolve));
}

function isBefore(one: Timer, other: Timer): boolean {
  return one.at < other.at || (one.at === other.at && one.order < other.order);
}

function checked(what: string, at: unknown): number {
  if (typeof at === "number" && Math.abs(at) <= LAST_MOMENT) return at;
  throw unclear(what, at, "Give milliseconds since the Unix epoch.");
}

function unclear(what: string, value: unknown, hint: string): HarnessError {
  return new HarnessError("double-unclear", `${what} is ${showValue(value)}`, hint);
}

function stuck(): HarnessError {
  return new HarnessError(
    "never-settles",
    "what was waited for is not settled, and no timer is left that could change that",
    "Something waits for what never comes, or by another clock: hand this one to all that waits.",
  );
}

function endless(call: string, fired: number): HarnessError {
  return new HarnessError(
    "never-settles",
    `${call} fired ${fired} timers and there was always one more`,
    "Something sets a timer each time one fires.",
  );
}
