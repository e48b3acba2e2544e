// The gate of each target: its breaker and its rate. They belong to the target and not to a member. A site that is down is down for
// every member, and its limits count all members together.

import { createBreaker, type Breaker, type BreakerOptions, type BreakerPass } from "./breaker.js";
import { createRate, type Rate, type RateOptions } from "./rate.js";

interface Gate {
  readonly breaker: Breaker | undefined;
  readonly rate: Rate | undefined;
  /** Runs that have not ended yet. Their results need this gate. */
  passes: number;
}

export type Entry =
  | { readonly kind: "in"; readonly pass: BreakerPass | undefined }
  | { readonly kind: "refused" }
  | { readonly kind: "later"; readonly ms: number };

export interface Gates {
  /** Lets one run through to `target` and takes a token, or says why not. */
  enter(target: string, now: number): Entry;
  settle(target: string, pass: BreakerPass | undefined, outcome: "succeeded" | "failed" | "aborted", now: number): void;
  /** The targets that must wait for their rate, with the milliseconds left, except those whose breaker refuses. */
  held(now: number): ReadonlyMap<string, number>;
  /** Forgets fresh gates, and the least recently used ones beyond `most` targets. */
  forget(now: number, most: number): void;
}

export function createGates(options: { breaker?: BreakerOptions; rate?: RateOptions }): Gates {
  /** The most recently used gate is the last. */
  const gates = new Map<string, Gate>();
  /** The targets whose tokens may be used up. */
  const exhausted = new Set<string>();

  function use(target: string): Gate {
    const gate = gates.get(target) ?? {
      breaker: options.breaker === undefined ? undefined : createBreaker(options.breaker),
      rate: options.rate === undefined ? undefined : createRate(options.rate),
      passes: 0,
    };
    gates.delete(target);
    gates.set(target, gate);
    return gate;
  }

  return {
    enter(target, now) {
      const gate = use(target);
      const { breaker, rate } = gate;
      if (breaker?.refuses(now) === true) return { kind: "refused" };
      const ms = rate?.waitMs(now) ?? 0;
      if (ms > 0) return { kind: "later", ms };
      rate?.take(now);
      exhausted.add(target);
      const pass = breaker?.admit(now);
      if (pass !== undefined) gate.passes += 1;
      return { kind: "in", pass };
    },
    settle(target, pass, outcome, now) {
      const gate = gates.get(target);
      if (pass === undefined || gate === undefined) return;
      gate.passes -= 1;
      gate.breaker?.settle(pass, outcome, now);
    },
    held(now) {
      const held = new Map<string, number>();
      for (const target of exhausted) {
        const gate = gates.get(target);
        const ms = gate?.rate?.waitMs(now) ?? 0;
        if (ms === 0) exhausted.delete(target);
        else if (gate?.breaker?.refuses(now) !== true) held.set(target, ms);
      }
      return held;
    },
    forget(now, most) {
      for (const [target, { breaker, rate, passes }] of gates) {
        if (passes > 0 || rate?.isFull(now) === false) continue;
        const { state } = breaker ?? { state: { kind: "closed", failures: 0 } as const };
        const isFresh = state.kind === "closed" && state.failures === 0;
        if (isFresh || gates.size > most) gates.delete(target);
      }
    },
  };
}
