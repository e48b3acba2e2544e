// A bucket of tokens. Each token returns a fixed time after it was taken, so no window of that length has more calls than there are
// tokens. A bucket that refills steadily would allow twice as many.

/** How often runs may begin. */
export interface RateOptions {
  /** Runs that may begin within any `perMs` milliseconds, 1 to 10,000. */
  readonly calls: number;
  /** At most a day. */
  readonly perMs: number;
}

export interface Rate {
  /** Milliseconds until there is a token, or 0 if there is one. */
  waitMs(now: number): number;
  /** Takes a token. Call it only after `waitMs` returned 0. */
  take(now: number): void;
  /** True if all tokens are there, so that this rate can be forgotten. */
  isFull(now: number): boolean;
}

/** Full at first. `now` of its methods must not go backwards. */
export function createRate({ calls, perMs }: RateOptions): Rate {
  /** When each missing token was taken, oldest first. */
  const taken: number[] = [];
  const refill = (now: number) => {
    while (taken.length > 0 && (taken[0] as number) + perMs <= now) taken.shift();
  };
  return {
    waitMs(now) {
      refill(now);
      return taken.length < calls ? 0 : (taken[0] as number) + perMs - now;
    },
    take: (now) => void taken.push(now),
    isFull(now) {
      refill(now);
      return taken.length === 0;
    },
  };
}

/** A clock for breakers and rates that continues when `now` is set back. */
export function createSteadyClock(now: () => number): () => number {
  let last = -Infinity;
  let ahead = 0;
  return () => {
    const time = now() + ahead;
    if (time < last) ahead += last - time;
    last = Math.max(last, time);
    return last;
  };
}
