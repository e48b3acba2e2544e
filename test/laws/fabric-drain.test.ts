// Law of the fabric: whatever the schedule, a loop ends, and every message was delivered, dropped by an inline wire, or found no partner.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { JsonValue } from "../../src/core/canon/value.js";
import { layOut, nodeOf, type GraphShape } from "../../src/core/process/fabric/graph.js";
import { Network } from "../../src/core/process/fabric/network.js";
import "../support/law-seed.js";
import { runSchedule, type Answer, type End } from "../support/process/schedule.js";
import { seedMachine } from "../support/process/seed-rule.js";

const LIMITS = { window: 4, maxMessages: 100_000 };

interface Topic {
  readonly topic: number;
  readonly left: number;
}

const same: Answer = (value) => [value];
const open: Answer = (value) => ((value as unknown as Topic).left > 0 ? [value] : []);
const closed: Answer = (value) => ((value as unknown as Topic).left > 0 ? [] : [value]);
const next: Answer = (value) => {
  const { topic, left } = value as unknown as Topic;
  return [{ topic, left: left - 1 }];
};

/** Advocate and skeptic argue, and a judge decides or asks for another round. */
const DEBATE: GraphShape = {
  agents: ["advocate", "skeptic", "judge"],
  barriers: { pair: ["advocate", "skeptic"] },
  wires: [
    { from: "input", to: "advocate" },
    { from: "input", to: "skeptic" },
    { from: "pair", to: "judge" },
    { from: "judge", to: "output", inline: true },
    { from: "judge", to: "advocate", inline: true },
    { from: "judge", to: "skeptic", inline: true },
  ],
};
const DEBATE_NODES: Record<string, Answer> = {
  advocate: same,
  skeptic: same,
  judge: (value) => {
    const [one, two] = value as unknown as [Topic, Topic];
    return [{ topic: one.topic, left: Math.max(one.left, two.left) - 1 }];
  },
  "wire:3": closed,
  "wire:4": open,
  "wire:5": open,
};

/** Two merges on one ring. */
const RING: GraphShape = {
  agents: ["first", "second", "clerk"],
  wires: [
    { from: "input", to: "first" },
    { from: "first", to: "second" },
    { from: "input", to: "clerk" },
    { from: "clerk", to: "second" },
    { from: "second", to: "first", inline: true },
    { from: "second", to: "output", inline: true },
  ],
};
const RING_NODES: Record<string, Answer> = { first: same, second: next, clerk: same, "wire:4": open, "wire:5": closed };

const topics = (seed: number): JsonValue[] =>
  Array.from({ length: 3 }, (_, topic) => ({ topic, left: ((seed >> (2 * topic)) & 3) + 1 }));

const SEEDS = Array.from({ length: 4_000 }, (_, seed) => seed);
/** Enough to see the other rule fail. */
const SOME_SEEDS = SEEDS.slice(0, 800);

function ours(shape: GraphShape, nodes: Record<string, Answer>, seed: number): End & { machine: Network } {
  const machine = new Network(layOut(shape), LIMITS);
  return { ...runSchedule({ machine, nodes, inputs: topics(seed), seed }), machine };
}

function theirs(shape: GraphShape, nodes: Record<string, Answer>, seed: number, foreign: "drop" | "forward"): End {
  return runSchedule({ machine: seedMachine(layOut(shape), foreign), nodes, inputs: topics(seed), seed });
}

describe("a loop with two merges", () => {
  it("PLM-50 PLM-52 PLM-53 ends a debate in 4,000 schedules without a loss, where one marker for each merge loses", () => {
    const runs = SEEDS.map((seed) => ours(DEBATE, DEBATE_NODES, seed));
    expect(runs.filter(({ isOver }) => !isOver)).toHaveLength(0);
    expect(runs.filter(({ lost, machine }) => lost + machine.unpaired > 0)).toHaveLength(0);
    expect(runs.filter(({ outputs }) => outputs.length !== 3)).toHaveLength(0);

    const naive = SOME_SEEDS.map((seed) => theirs(DEBATE, DEBATE_NODES, seed, "forward"));
    expect(naive.filter(({ lost, outputs }) => lost > 0 || outputs.length < 3).length).toBeGreaterThan(0);
  });

  it("PLM-54 ends a ring in 4,000 schedules without a loss, where markers that pass or vanish lose or never end", () => {
    const runs = SEEDS.map((seed) => ours(RING, RING_NODES, seed));
    expect(runs.filter(({ isOver }) => !isOver)).toHaveLength(0);
    expect(runs.filter(({ lost }) => lost > 0)).toHaveLength(0);
    expect(runs.filter(({ outputs }) => outputs.length !== 6)).toHaveLength(0);

    const dropping = SOME_SEEDS.map((seed) => theirs(RING, RING_NODES, seed, "drop"));
    expect(dropping.filter(({ isOver }) => isOver)).toHaveLength(0);
    const forwarding = SOME_SEEDS.map((seed) => theirs(RING, RING_NODES, seed, "forward"));
    expect(forwarding.filter(({ lost, isOver }) => lost > 0 || !isOver).length).toBeGreaterThan(0);
  });
});

const leftOf = (value: JsonValue): number =>
  Array.isArray(value) ? Math.max(...value.map(leftOf)) : (value as unknown as { left: number }).left;

/** A graph of a few agents and barriers. What an agent answers has one step less to go, so that every run ends. */
const graphs = fc
  .record({
    agents: fc.integer({ min: 1, max: 4 }),
    barriers: fc.array(fc.tuple(fc.nat(9), fc.nat(9)), { maxLength: 2 }),
    wires: fc.array(fc.tuple(fc.nat(9), fc.nat(9), fc.boolean()), { minLength: 1, maxLength: 7 }),
  })
  .map(({ agents: count, barriers, wires }): GraphShape => {
    const agents = Array.from({ length: count }, (_, index) => `a${index}`);
    const barrierNames = barriers.map((_, index) => `b${index}`);
    const sources = ["input", ...agents, ...agents.map((name) => `${name}.telemetry`), ...barrierNames];
    const targets = [...agents, "output", ...agents];
    const pick = (list: readonly string[], at: number): string => list[at % list.length] as string;
    const free = wires.map(([from, to, inline]) => ({ from: pick(sources, from), to: pick(targets, to), inline }));
    const fed = new Set(free.map(({ to }) => to));
    const rest = agents.filter((name) => !fed.has(name)).map((to) => ({ from: "input", to }));
    return {
      agents,
      barriers: Object.fromEntries(
        barriers.map(([one, two], index) => [`b${index}`, [pick(sources, one), pick(sources, two)]]),
      ),
      wires: [...free, ...rest],
    };
  })
  .filter((shape) => {
    try {
      layOut(shape);
      return true;
    } catch {
      return false;
    }
  });

const inputs = fc.array(fc.nat(3), { maxLength: 4 }).map((lefts) => lefts.map((left, topic) => ({ topic, left })));

/** Every agent answers once while there are steps to go. Inline wires drop what is odd. */
function nodesOf({ agents }: GraphShape, { inline }: ReturnType<typeof layOut>): Record<string, Answer> {
  const step: Answer = (value) => {
    const left = leftOf(value);
    return left > 0 ? [{ left: left - 1 }] : [];
  };
  const even: Answer = (value) => (leftOf(value) % 2 === 0 ? [value] : []);
  return Object.fromEntries([
    ...agents.map((name) => [name, step] as const),
    ...[...inline.values()].map((name) => [name, even] as const),
  ]);
}

const sidesOf = ({ agents }: GraphShape): Record<string, string[]> =>
  Object.fromEntries(agents.map((name) => [name, [`${name}.telemetry`]]));

describe("any graph", () => {
  it("PLM-49 PLM-55 ends in any order, loses nothing, and needs a round more than messages still to come back", () => {
    fc.assert(
      fc.property(graphs, inputs, fc.nat(), (shape, values, seed) => {
        const layout = layOut(shape);
        const machine = new Network(layout, LIMITS);
        const end = runSchedule({
          machine,
          nodes: nodesOf(shape, layout),
          sides: sidesOf(shape),
          inputs: values,
          seed,
        });
        expect(end.isOver).toBe(true);
        expect(end.lost).toBe(0);
        const back = Object.entries(machine.order).flatMap(([port, order]) => {
          const loop = layout.loopOf.get(port);
          const own = layout.edges.filter(({ to }) => to === port);
          return order.filter(
            (index) => loop !== undefined && layout.loopOf.get(nodeOf(own[index]?.from ?? "")) === loop,
          );
        });
        for (const rounds of machine.rounds) expect(rounds).toBeLessThanOrEqual(back.length + 1);
      }),
      { numRuns: 4_000 },
    );
  });

  it("delivers every copy of every message where no barrier pairs them", () => {
    fc.assert(
      fc.property(graphs, inputs, fc.nat(), (shape, values, seed) => {
        fc.pre(Object.keys(shape.barriers ?? {}).length === 0);
        const layout = layOut(shape);
        const machine = new Network(layout, LIMITS);
        let copies = 0;
        const push = machine.push.bind(machine);
        machine.push = (from, item) => {
          if (item.kind === "message") copies += layout.edges.filter((edge) => edge.from === from).length;
          push(from, item);
        };
        const { read } = runSchedule({
          machine,
          nodes: nodesOf(shape, layout),
          sides: sidesOf(shape),
          inputs: values,
          seed,
        });
        expect(Object.values(read).flat()).toHaveLength(copies);
      }),
      { numRuns: 1_000 },
    );
  });

  it("gives each agent the same messages in any order of events, if the merges follow a recorded one", () => {
    let others = 0;
    fc.assert(
      fc.property(graphs, inputs, fc.nat(), fc.nat(), (shape, values, seed, other) => {
        const layout = layOut(shape);
        const run = { nodes: nodesOf(shape, layout), sides: sidesOf(shape), inputs: values };
        const recorder = new Network(layout, LIMITS);
        const recorded = runSchedule({ ...run, machine: recorder, seed });
        const player = new Network(layout, { ...LIMITS, schedule: recorder.order });
        const replayed = runSchedule({ ...run, machine: player, seed: other });
        expect(replayed.isOver).toBe(true);
        expect(replayed.read).toEqual(recorded.read);
        const free = runSchedule({ ...run, machine: new Network(layout, LIMITS), seed: other });
        if (JSON.stringify(free.read) !== JSON.stringify(recorded.read)) others++;
      }),
      { numRuns: 2_000 },
    );
    expect(others).toBeGreaterThan(0);
  });
});

describe("a loop with one merge", () => {
  const SELF: GraphShape = {
    agents: ["poet"],
    wires: [
      { from: "input", to: "poet" },
      { from: "poet", to: "poet", inline: true },
      { from: "poet", to: "output", inline: true },
    ],
  };

  it("PLM-55 needs at most one round more than iterations are left", () => {
    fc.assert(
      fc.property(fc.array(fc.integer({ min: 1, max: 6 }), { maxLength: 4 }), fc.nat(), (lefts, seed) => {
        const machine = new Network(layOut(SELF), LIMITS);
        const values = lefts.map((left, topic) => ({ topic, left }));
        const end = runSchedule({
          machine,
          nodes: { poet: next, "wire:1": open, "wire:2": closed },
          inputs: values,
          seed,
        });
        expect(end.outputs).toHaveLength(lefts.length);
        expect(machine.rounds[0]).toBeLessThanOrEqual(lefts.length === 0 ? 0 : Math.max(...lefts));
      }),
    );
  });

  it("holds no more messages than its window, whatever is sent to it", () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 8 }), fc.nat(), (window, seed) => {
        const machine = new Network(layOut(SELF), { ...LIMITS, window });
        const values = Array.from({ length: 60 }, (_, topic) => ({ topic, left: 2 }));
        let most = 0;
        let inside = 0;
        const take = machine.take.bind(machine);
        const push = machine.push.bind(machine);
        machine.push = (from, item) => {
          if (from === "input" && item.kind === "message") inside++;
          push(from, item);
          most = Math.max(most, inside);
        };
        machine.take = (port) => {
          const item = take(port);
          if (port === "output" && item?.kind === "message") inside--;
          return item;
        };
        const nodes = { poet: next, "wire:1": open, "wire:2": closed };
        expect(runSchedule({ machine, nodes, inputs: values, seed, hold: 1 }).outputs).toHaveLength(60);
        // One window before the loop and one in it, with what its two nodes hold. Behind it a wire and the output have two
        // channels each, before and behind their merges, and the wire holds one message.
        expect(most).toBeLessThanOrEqual(6 * window + 3);
      }),
      { numRuns: 200 },
    );
  });
});
