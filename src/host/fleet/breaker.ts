// A circuit breaker: after some failures in a row it lets nothing through for a while, then one probe, whose outcome decides.
//
//   closed ──failures in a row──► open ──cooldown is over──► half-open ──the probe failed──► open
//     ▲                                                          └──the probe succeeded──► closed

/** When the fleet stops calling a target for a while. */
export interface BreakerOptions {
  /** Failures in a row that open it, 1 to 10,000. */
  readonly failures: number;
  /** How long it stays open, at most a day. */
  readonly cooldownMs: number;
}

type BreakerState =
  | { readonly kind: "closed"; readonly failures: number }
  | { readonly kind: "open"; readonly until: number }
  /** One probe is on its way. */
  | { readonly kind: "half-open" };

/** Identifies a call that was let through. Valid once. */
export interface BreakerPass {
  readonly state: number;
}

/** `aborted` says nothing about the target. */
export type BreakerOutcome = "succeeded" | "failed" | "aborted";

export interface Breaker {
  readonly state: BreakerState;
  /** True while `admit` would refuse. */
  refuses(now: number): boolean;
  /** Lets a call through, or returns undefined. Each pass must be settled. */
  admit(now: number): BreakerPass | undefined;
  /** Ignores a call that was let through in an earlier state. */
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
        // The probe showed nothing, so the next call is the probe.
        return before.kind === "half-open" ? { kind: "open", until: now } : before;
      case "failed": {
        const failures = before.kind === "closed" ? before.failures + 1 : limit;
        return failures < limit ? { kind: "closed", failures } : { kind: "open", until: now + cooldownMs };
      }
    }
  }
}
