// The circuit breaker against a model that knows its rules alone, driven by random calls that overlap and end late.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createBreaker, type Breaker, type BreakerOutcome, type BreakerPass } from "../../src/host/fleet/breaker.js";

interface Options {
  failures: number;
  cooldownMs: number;
}
/** What the breaker must be, written as facts about its history instead of as states. */
interface Model extends Options {
  now: number;
  inARow: number;
  openedAt: number | undefined;
  isProbing: boolean;
  /** Rises whenever calls on their way stop counting. */
  era: number;
}
interface Real {
  breaker: Breaker;
  /** Calls on their way, with the era in which each was let through. */
  flying: { pass: BreakerPass; era: number }[];
}

const isOpen = (model: Model) =>
  model.isProbing || (model.openedAt !== undefined && model.now < model.openedAt + model.cooldownMs);

class Call implements fc.Command<Model, Real> {
  check = () => true;
  run(model: Model, { breaker, flying }: Real) {
    expect(breaker.refuses(model.now)).toBe(isOpen(model));
    const pass = breaker.admit(model.now);
    expect(pass === undefined).toBe(isOpen(model));
    if (pass === undefined) return;
    if (model.openedAt !== undefined) {
      model.isProbing = true;
      model.openedAt = undefined;
      model.era += 1;
    }
    flying.push({ pass, era: model.era });
  }
  toString = () => "call";
}

class End implements fc.Command<Model, Real> {
  readonly which: number;
  readonly outcome: BreakerOutcome;
  constructor(which: number, outcome: BreakerOutcome) {
    this.which = which;
    this.outcome = outcome;
  }
  check = () => true;
  run(model: Model, { breaker, flying }: Real) {
    const [call] = flying.splice(this.which % Math.max(1, flying.length), 1);
    if (call === undefined) return;
    breaker.settle(call.pass, this.outcome, model.now);
    if (call.era === model.era) this.count(model);
    const kind = model.isProbing ? "half-open" : model.openedAt === undefined ? "closed" : "open";
    expect(breaker.state.kind).toBe(kind);
    if (breaker.state.kind === "closed") expect(breaker.state.failures).toBe(model.inARow);
  }
  private count(model: Model) {
    const wasProbe = model.isProbing;
    if (wasProbe) model.isProbing = false;
    if (wasProbe) model.era += 1;
    if (this.outcome === "succeeded") model.inARow = 0;
    if (this.outcome === "failed") model.inARow += 1;
    if (this.outcome === "aborted" && wasProbe) model.openedAt = model.now - model.cooldownMs;
    if (this.outcome === "failed" && (wasProbe || model.inARow === model.failures)) {
      model.openedAt = model.now;
      if (!wasProbe) model.era += 1;
    }
  }
  toString = () => `end ${this.which} ${this.outcome}`;
}

class Pass implements fc.Command<Model, Real> {
  readonly ms: number;
  constructor(ms: number) {
    this.ms = ms;
  }
  check = () => true;
  run(model: Model) {
    model.now += this.ms;
  }
  toString = () => `pass ${this.ms}`;
}

const commands = fc.commands(
  [
    fc.constant(new Call()),
    fc
      .tuple(fc.nat(5), fc.constantFrom<BreakerOutcome>("succeeded", "failed", "failed", "aborted"))
      .map(([which, outcome]) => new End(which, outcome)),
    fc.nat(120).map((ms) => new Pass(ms)),
  ],
  { maxCommands: 80 },
);
const options = fc.record({ failures: fc.integer({ min: 1, max: 4 }), cooldownMs: fc.nat(100) });

describe("a circuit breaker", () => {
  it("is open, closed and half-open exactly when its rules say so, whatever overlaps and ends late", () => {
    fc.assert(
      fc.property(options, commands, (own, list) => {
        const model: Model = { ...own, now: 1_000, inARow: 0, openedAt: undefined, isProbing: false, era: 0 };
        fc.modelRun(() => ({ model, real: { breaker: createBreaker(own), flying: [] } }), list);
      }),
      { numRuns: 2_000 },
    );
  });

  it("lets one probe through at a time, however many ask", () => {
    fc.assert(
      fc.property(options, fc.integer({ min: 2, max: 20 }), ({ failures, cooldownMs }, asking) => {
        const breaker = createBreaker({ failures, cooldownMs });
        for (let failed = 0; failed < failures; failed++) breaker.settle(breaker.admit(0)!, "failed", 0);
        const passes = Array.from({ length: asking }, () => breaker.admit(cooldownMs));
        expect(passes.filter((pass) => pass !== undefined)).toHaveLength(1);
      }),
    );
  });
});
