// A circuit breaker: after some failures in a row nothing is let through for a while, then one probe, whose outcome decides.
//
//   closed ──failures in a row──► open ──cooldown is over──► half-open ──the probe failed──► open
//     ▲                                                          └──the probe succeeded──► closed

/** When a target is left alone for a while. */
export interface BreakerOptions {
  /** Failures in a row that open it, 1 to 10,000. */
  readonly failures: number;
  /** How long it stays open, at most a day. */
  readonly cooldownMs: number;
}

export type BreakerState =
  | { readonly kind: "closed"; readonly failures: number }
  | { readonly kind: "open"; readonly until: number }
  /** One probe is on its way. */
  | { readonly kind: "half-open" };

/** What a call that was let through is known by. Of use once. */
export interface BreakerPass {
  readonly state: number;
}

/** `aborted` says nothing about the target: as if the call had not been made. */
export type BreakerOutcome = "succeeded" | "failed" | "aborted";

export interface Breaker {
  readonly state: BreakerState;
  /** True while `admit` would refuse. */
  refuses(now: number): boolean;
  /** Lets a call through, or gives undefined. Each pass must be settled. */
  admit(now: number): BreakerPass | undefined;
  /** A call that was let through in an earlier state has no say in this one. */
  settle(pass: BreakerPass, outcome: BreakerOutcome, now: number): void;
}

/** Closed at first. `now` of its methods must not go backwards. */
export function createBreaker({ failures: limit, cooldownMs }: BreakerOptions): Breaker {
  let state: BreakerState = { kind: "closed", failures: 0 };
  /** Counts how often the kind of state has changed. */
  let changes = 0;
  const change = (next: BreakerState) => {
    if (next.kind !== state.kind) changes += 1;
    state = next;
  };

  function refuses(now: number): boolean {
    switch (state.kind) {
      case "closed":
        return false;
      case "open":
        return now < state.until;
      case "half-open":
        return true;
    }
  }

  return {
    get state() {
      return state;
    },
    refuses,
    admit(now) {
      if (refuses(now)) return undefined;
      if (state.kind === "open") change({ kind: "half-open" });
      return { state: changes };
    },
    settle(pass, outcome, now) {
      if (pass.state === changes) change(stateAfter(state, outcome, now));
    },
  };

  function stateAfter(before: BreakerState, outcome: BreakerOutcome, now: number): BreakerState {
    switch (outcome) {
      case "succeeded":
        return { kind: "closed", failures: 0 };
      case "aborted":
        // The probe told nothing: the next call is one.
        return before.kind === "half-open" ? { kind: "open", until: now } : before;
      case "failed": {
        const failures = before.kind === "closed" ? before.failures + 1 : limit;
        return failures < limit ? { kind: "closed", failures } : { kind: "open", until: now + cooldownMs };
      }
    }
  }
}
