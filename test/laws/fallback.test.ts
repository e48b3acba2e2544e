// The fallback chain against a small model of it: random entries play random outcomes over several turns, and what the chain
// did, slept and said is compared with what a plain reading of the rules gives.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LlmErrorKind } from "../../src/core/errors.js";
import type { FallbackAttempt } from "../../src/core/providers/fallback/failure.js";
import type { Backoff } from "../../src/core/providers/fallback/backoff.js";
import { chainOf, fail, player } from "../support/chain.js";
import { say } from "../support/script.js";
import { hello } from "../support/wire.js";

const PASSING: readonly string[] = ["rate-limit", "overloaded", "unavailable", "timeout"];

type Outcome = { kind: "ok" } | { kind: LlmErrorKind; retryAfterMs?: number };
interface EntryCase {
  outcomes: Outcome[];
  maxAttempts: number;
  backoff: Backoff | undefined;
}
interface ChainCase {
  entries: EntryCase[];
  cooldownMs: number;
  maxWaitMs: number;
  refreshes: boolean;
  /** Milliseconds between one turn and the next. */
  pauses: number[];
}

const outcome: fc.Arbitrary<Outcome> = fc.oneof(
  fc.constant({ kind: "ok" as const }),
  fc.record(
    {
      kind: fc.constantFrom<LlmErrorKind>("rate-limit", "timeout", "auth", "bad-request", "content-filter"),
      retryAfterMs: fc.nat(400),
    },
    { requiredKeys: ["kind"] },
  ),
);
const backoff = fc.record({
  kind: fc.constantFrom("linear" as const, "exponential" as const),
  baseMs: fc.nat(100),
  maxMs: fc.nat(300),
});
const chainCase: fc.Arbitrary<ChainCase> = fc.record({
  entries: fc.array(
    fc.record({
      // Enough for any walk; what comes after them is an answer.
      outcomes: fc.array(outcome, { maxLength: 12 }),
      maxAttempts: fc.integer({ min: 1, max: 4 }),
      backoff: fc.option(backoff, { nil: undefined }),
    }),
    { minLength: 1, maxLength: 4 },
  ),
  cooldownMs: fc.nat(500),
  maxWaitMs: fc.nat(400),
  refreshes: fc.boolean(),
  pauses: fc.array(fc.nat(400), { minLength: 1, maxLength: 4 }),
});

const name = (index: number) => `p${index}`;

async function play({ entries, cooldownMs, maxWaitMs, refreshes, pauses }: ChainCase) {
  const answers = 60;
  const played = entries.map(({ outcomes, maxAttempts, backoff: wait }, index) => {
    const steps = outcomes.map((one) => (one.kind === "ok" ? say(name(index)) : fail(one.kind, one)));
    const provider = player(name(index), [...steps, ...Array.from({ length: answers }, () => say(name(index)))]);
    return { provider, maxAttempts, ...(wait === undefined ? {} : { backoff: wait }) };
  });
  const made = chainOf(played, { cooldownMs, maxWaitMs, onAuthError: () => refreshes });
  const results: string[] = [];
  /** Where the attempts of each turn begin. */
  const turns: FallbackAttempt[][] = [];
  for (const pause of pauses) {
    const before = made.attempts.length;
    const result = await made.chain.turn(hello).then(
      ({ message }) => message.content,
      (error: { code: string; kind: string }) => `${error.code} ${error.kind}`,
    );
    results.push(result);
    turns.push(made.attempts.slice(before));
    made.clock.now += pause;
  }
  return { results, walked: made.walked(), slept: made.slept, turns, attempts: made.attempts };
}

/** The same, read from the rules alone. */
function model({ entries, cooldownMs, maxWaitMs, refreshes, pauses }: ChainCase) {
  const results: string[] = [];
  const walked: string[] = [];
  const slept: number[] = [];
  const used = entries.map(() => 0);
  const coolUntil = entries.map(() => ({ at: 0, kind: "" }));
  let now = 1_000_000;

  const tryEntry = (index: number, kinds: string[]): string | undefined => {
    const { outcomes, maxAttempts, backoff: wait } = entries[index]!;
    let isRefreshed = !refreshes;
    for (let counted = 1; ;) {
      const next = outcomes[used[index]!++] ?? { kind: "ok" as const };
      walked.push(`${name(index)} ${next.kind === "ok" ? "answered" : "failed"}`);
      if (next.kind === "ok") return name(index);
      if (next.kind === "content-filter") return "provider-http content-filter";
      if (next.kind === "auth" && !isRefreshed) {
        isRefreshed = true;
        continue;
      }
      const asked = next.retryAfterMs ?? 0;
      if (!PASSING.includes(next.kind) || counted === maxAttempts || asked > maxWaitMs) {
        kinds.push(next.kind);
        const coolMs = Math.max(cooldownMs, asked);
        if (PASSING.includes(next.kind) && coolMs > 0) coolUntil[index] = { at: now + coolMs, kind: next.kind };
        return undefined;
      }
      const steps = wait?.kind === "linear" ? counted : 2 ** (counted - 1);
      const waitMs = Math.max(asked, wait === undefined ? 0 : Math.min(wait.maxMs, wait.baseMs * steps));
      if (waitMs > 0) slept.push(waitMs);
      now += waitMs;
      counted += 1;
    }
  };

  for (const pause of pauses) {
    const kinds: string[] = [];
    let result: string | undefined;
    for (let index = 0; index < entries.length && result === undefined; index++) {
      const cooling = coolUntil[index]!;
      if (cooling.at > now) {
        walked.push(`${name(index)} skipped`);
        kinds.push(cooling.kind);
      } else result = tryEntry(index, kinds);
    }
    const kind = kinds.findLast((one) => PASSING.includes(one)) ?? kinds.at(-1);
    results.push(result ?? `providers-exhausted ${kind}`);
    now += pause;
  }
  return { results, walked, slept };
}

const holds = (check: (one: ChainCase) => Promise<void>, numRuns = 500) =>
  fc.assert(fc.asyncProperty(chainCase, check), { numRuns });

describe("a fallback chain", () => {
  it("REL-77 and REL-78 does, sleeps and answers what the rules say, for any outcomes", () =>
    holds(async (one) => {
      const { results, walked, slept } = await play(one);
      expect({ results, walked, slept }).toEqual(model(one));
    }, 2_000));

  it("REL-77 never asks an entry more often than it is allowed to", () =>
    holds(async (one) => {
      for (const turn of (await play(one)).turns) {
        for (const [index, { maxAttempts }] of one.entries.entries()) {
          const made = turn.filter(({ entry, outcome: how }) => entry === index && how !== "skipped");
          expect(made.length).toBeLessThanOrEqual(maxAttempts + (one.refreshes ? 1 : 0));
        }
      }
    }));

  it("REL-23 walks the entries in their order and leaves none out before it goes on", () =>
    holds(async (one) => {
      for (const turn of (await play(one)).turns) {
        const order = turn.map(({ entry }) => entry).filter((entry, at, all) => at === 0 || entry !== all[at - 1]);
        expect(order).toEqual(order.map((_, index) => index));
      }
    }));

  it("makes no attempt after an answer, and answers with the last attempt it made", () =>
    holds(async (one) => {
      const { turns, results } = await play(one);
      for (const [index, turn] of turns.entries()) {
        const answered = turn.findIndex(({ outcome: how }) => how === "answered");
        if (answered === -1) expect(results[index]).toMatch(/^provider/);
        else expect([answered, turn[answered]?.provider]).toEqual([turn.length - 1, results[index]]);
      }
    }));

  it("REL-65 numbers the attempts of a turn from 1 without a gap, and no skipped entry", () =>
    holds(async (one) => {
      for (const turn of (await play(one)).turns) {
        const numbers = turn.flatMap((attempt) => (attempt.outcome === "skipped" ? [] : attempt.attemptNumber));
        expect(numbers).toEqual(numbers.map((_, index) => index + 1));
        for (const attempt of turn) {
          if (attempt.outcome === "skipped") expect(attempt).not.toHaveProperty("attemptNumber");
        }
      }
    }));
});
