// Laws of the fleet, for any members, targets and bounds, on a clock that passes when nothing else can happen.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { AgentError } from "../../src/core/errors.js";
import { echoProvider } from "../../src/core/providers/echo.js";
import { scriptedProvider } from "../../src/core/providers/scripted.js";
import { createRuntime, type AgentRuntime } from "../../src/core/runtime/runtime.js";
import { toFleetResult } from "../../src/host/fleet/cell.js";
import { createFleet } from "../../src/host/fleet.js";
import { createRate } from "../../src/host/fleet/rate.js";
import { fixedClock } from "../../src/harness/doubles/clock.js";
import { agent } from "../support/agents.js";
import { fakeRuntime } from "../support/fleet.js";
import { ask, quietPorts, say, tool } from "../support/script.js";

interface FleetCase {
  /** For each member, how long each of its cells takes and whether it fails. */
  members: { ms: number; fails: boolean }[];
  targets: number;
  concurrency: number;
  perMember: number;
  rate: { calls: number; perMs: number } | undefined;
  breaker: { failures: number; cooldownMs: number } | undefined;
  assign: "each" | "any";
  retry: { attempts: number; waitMs: number } | undefined;
  abortAfterMs: number | undefined;
}

const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });
const fleetCase: fc.Arbitrary<FleetCase> = fc.record({
  members: fc.array(fc.record({ ms: fc.nat(50), fails: fc.boolean() }), { minLength: 1, maxLength: 5 }),
  targets: fc.integer({ min: 1, max: 6 }),
  concurrency: fc.integer({ min: 1, max: 6 }),
  perMember: fc.integer({ min: 1, max: 3 }),
  rate: maybe(fc.record({ calls: fc.integer({ min: 1, max: 4 }), perMs: fc.integer({ min: 1, max: 100 }) })),
  breaker: maybe(fc.record({ failures: fc.integer({ min: 1, max: 3 }), cooldownMs: fc.nat(100) })),
  assign: fc.constantFrom("each", "any"),
  retry: maybe(fc.record({ attempts: fc.integer({ min: 2, max: 3 }), waitMs: fc.nat(50) })),
  abortAfterMs: maybe(fc.nat(200)),
});

interface Start {
  member: string;
  target: string;
  at: number;
}

/** Runs a case to its end, keeping what began when and the most that ran at once. */
async function play(one: FleetCase) {
  const clock = fixedClock(1_000_000);
  const starts: Start[] = [];
  const active = new Map<string, number>();
  const most = { all: 0, member: 0 };
  const members = one.members.map(({ ms, fails }, index) => {
    const id = `m${index}`;
    const runtime = fakeRuntime(async (target) => {
      starts.push({ member: id, target, at: clock.now() });
      active.set(id, (active.get(id) ?? 0) + 1);
      most.all = Math.max(
        most.all,
        [...active.values()].reduce((sum, count) => sum + count),
      );
      most.member = Math.max(most.member, active.get(id)!);
      await clock.sleep(ms);
      active.set(id, active.get(id)! - 1);
      if (fails) throw new AgentError("provider-http", "busy", { retryable: true });
      return `${id} ${target}`;
    });
    return { id, runtime };
  });
  const { concurrency, perMember, rate, breaker, retry } = one;
  const fleet = createFleet({
    ...{ members, concurrency, perMember, ports: { ...quietPorts(), now: clock.now, timer: clock.timer } },
    ...(rate === undefined ? {} : { rate: { perTarget: rate } }),
    ...(breaker === undefined ? {} : { breaker }),
    ...(retry === undefined ? {} : { retry }),
  });
  const controller = new AbortController();
  if (one.abortAfterMs !== undefined) clock.timer(one.abortAfterMs, () => controller.abort());
  const targets = Array.from({ length: one.targets }, (_, index) => ({ id: `t${index}`, goal: `t${index}` }));
  const settled: string[] = [];
  const run = fleet.run({
    targets,
    assign: one.assign,
    signal: controller.signal,
    onProgress: ({ cell }) => void settled.push(`${cell.member ?? "-"} ${cell.target}`),
  });
  const result = await clock.until(run);
  return {
    ...result,
    starts,
    most,
    settled,
    ids: { members: members.map(({ id }) => id), targets: targets.map(({ id }) => id) },
  };
}

const holds = (check: (one: FleetCase) => Promise<void>, numRuns = 200) =>
  fc.assert(fc.asyncProperty(fleetCase, check), { numRuns });

describe("a fleet, for any members, targets and bounds", () => {
  it("settles each cell once, in its place, and runs it as often as it says", { timeout: 120_000 }, () =>
    holds(async (one) => {
      const { cells, counts, starts, settled, ids } = await play(one);
      const places =
        one.assign === "any"
          ? ids.targets.map((target) => ["", target])
          : ids.members.flatMap((member) => ids.targets.map((target) => [member, target]));
      expect(cells.map(({ member, target }) => [one.assign === "any" ? "" : member, target])).toEqual(places);
      expect(settled.sort()).toEqual(cells.map(({ member, target }) => `${member ?? "-"} ${target}`).sort());
      expect(counts.total).toBe(cells.length);
      for (const status of ["done", "failed", "skipped"] as const) {
        expect(counts[status]).toBe(cells.filter((cell) => cell.status === status).length);
      }
      for (const cell of cells) {
        const began = starts.filter(({ member, target }) => member === cell.member && target === cell.target).length;
        expect(began).toBe(cell.attempts);
        if (one.retry === undefined) expect(began).toBe(cell.status === "skipped" ? 0 : 1);
        if (cell.status === "done") expect(cell.result.finalAnswer).toBe(`${cell.member} ${cell.target}`);
      }
      expect(starts.length).toBe(cells.reduce((sum, { attempts }) => sum + attempts, 0));
      if (one.abortAfterMs === undefined && one.breaker === undefined) expect(counts.skipped).toBe(0);
    }),
  );

  it("never has more at once than it may, altogether and of one member", { timeout: 120_000 }, () =>
    holds(async (one) => {
      const { most } = await play(one);
      expect(most.all).toBeLessThanOrEqual(one.concurrency);
      expect(most.member).toBeLessThanOrEqual(one.perMember);
    }),
  );

  it("never begins more runs on a target than its rate allows, in any window", { timeout: 120_000 }, () =>
    holds(async (one) => {
      const { calls, perMs } = one.rate ?? { calls: 1, perMs: 20 };
      const { starts, ids } = await play({ ...one, rate: { calls, perMs }, abortAfterMs: undefined });
      for (const target of ids.targets) {
        const times = starts.filter((start) => start.target === target).map(({ at }) => at);
        for (const from of times) {
          expect(times.filter((at) => at >= from && at < from + perMs).length).toBeLessThanOrEqual(calls);
        }
      }
    }),
  );

  it("uses what it may use: nothing waits while there is room for it", { timeout: 120_000 }, () =>
    holds(async (one) => {
      const { most, cells } = await play({
        ...one,
        members: one.members.map(() => ({ ms: 10, fails: false })),
        assign: "each",
        ...{ rate: undefined, breaker: undefined, retry: undefined, abortAfterMs: undefined },
      });
      const room = Math.min(one.concurrency, one.members.length * Math.min(one.perMember, one.targets));
      expect(most.all).toBe(room);
      expect(cells.every(({ status }) => status === "done")).toBe(true);
    }),
  );
});

describe("a rate", () => {
  it("gives tokens as fast as it may and no faster", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 50 }),
        fc.array(fc.nat(30)),
        (calls, perMs, gaps) => {
          const rate = createRate({ calls, perMs });
          const taken: number[] = [];
          let now = 0;
          for (const gap of gaps) {
            now += gap;
            const recent = taken.filter((at) => at > now - perMs);
            const free = recent.length < calls ? 0 : recent[recent.length - calls]! + perMs - now;
            expect(rate.waitMs(now)).toBe(free);
            expect(rate.isFull(now)).toBe(recent.length === 0);
            if (free > 0) continue;
            rate.take(now);
            taken.push(now);
          }
        },
      ),
    );
  });
});

type Kind = "echo" | "script" | "tool";

/** A real runtime whose answers depend on its own history: a script, a counter in a tool, or an echo. */
function realRuntime(kind: Kind, id: string, runs: number): AgentRuntime {
  const ports = quietPorts();
  if (kind === "echo") return createRuntime({ agents: [agent(echoProvider())], ports });
  if (kind === "script") {
    const provider = scriptedProvider(Array.from({ length: runs }, (_, index) => say(`${id} answer ${index}`)));
    return createRuntime({ agents: [agent(provider)], ports });
  }
  let calls = 0;
  const count = tool("count", () => `${id} call ${calls++}`);
  const turns = Array.from({ length: runs }, () => [
    ask([{ name: "count" }]),
    (request: { messages: readonly { content: unknown }[] }) => say(String(request.messages.at(-1)!.content)),
  ]);
  return createRuntime({ agents: [agent(scriptedProvider(turns.flat() as never), { customTools: [count] })], ports });
}

describe("the members of a fleet", () => {
  it("PLK-11 answer what each would alone, since they share no changing state", { timeout: 120_000 }, () =>
    fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom<Kind>("echo", "script", "tool"), { minLength: 1, maxLength: 6 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 8 }),
        async (kinds, targetCount, concurrency) => {
          const targets = Array.from({ length: targetCount }, (_, index) => ({
            id: `t${index}`,
            goal: `goal ${index}`,
          }));
          const alone: unknown[] = [];
          for (const [index, kind] of kinds.entries()) {
            const runtime = realRuntime(kind, `m${index}`, targetCount);
            for (const { goal } of targets) alone.push(toFleetResult(await runtime.run({ goal })));
          }
          const members = kinds.map((kind, index) => ({
            id: `m${index}`,
            runtime: realRuntime(kind, `m${index}`, targetCount),
          }));
          const { cells } = await createFleet({ members, concurrency }).run({ targets });
          expect(cells.map((cell) => (cell.status === "done" ? cell.result : cell))).toEqual(alone);
        },
      ),
      { numRuns: 100 },
    ),
  );
});
