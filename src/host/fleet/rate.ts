// A bucket of tokens, each of which comes back a fixed time after it was taken. So no window of that length, wherever it
// begins, holds more calls than there are tokens; a bucket that refills steadily would let twice as many through.

/** How often runs may begin. */
export interface RateOptions {
  /** Runs that may begin within any `perMs` milliseconds, 1 to 10,000. */
  readonly calls: number;
  /** At most a day. */
  readonly perMs: number;
}

export interface Rate {
  /** Milliseconds until there is a token; 0 when there is one. */
  waitMs(now: number): number;
  /** Takes one. Only after `waitMs` gave 0. */
  take(now: number): void;
  /** True when all tokens are there, so that nothing is lost by forgetting it. */
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

/** A clock for breakers and rates: where the one of `now` is set back, it goes on from where it was. */
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
