// Measures the time spent outside of a provider. Requests that overlap count as one.

/** Call `enter` when a request comes in, and `leave` when its answer is out. */
export interface OutsideWatch {
  enter(): void;
  leave(): void;
  /** The times from an answer to the next request, in their order. */
  readonly pauses: readonly number[];
  /** The time within the provider. */
  readonly inside: number;
  /** The moment of the first request. */
  readonly firstAt: number | undefined;
}

/** All times are in the unit of `now`. */
export function createOutsideWatch(now: () => number): OutsideWatch {
  const pauses: number[] = [];
  let [open, inside, enteredAt] = [0, 0, 0];
  let firstAt: number | undefined;
  let leftAt: number | undefined;
  return {
    pauses,
    get inside() {
      return inside;
    },
    get firstAt() {
      return firstAt;
    },
    enter() {
      if (open++ > 0) return;
      enteredAt = now();
      firstAt ??= enteredAt;
      if (leftAt !== undefined) pauses.push(enteredAt - leftAt);
    },
    leave() {
      if (--open > 0) return;
      leftAt = now();
      inside += leftAt - enteredAt;
    },
  };
}
