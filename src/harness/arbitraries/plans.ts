// Arbitrary handoff graphs. They are data, since the conditions of a plan are functions; `planOf` makes the plan.

import fc from "fast-check";
import { assertKnownOptions, defined, type Plan } from "../../core/index.js";

/** An edge of a {@link HandoffGraph}, between agents by id. */
export interface GraphEdge {
  readonly from: string;
  readonly to: string;
  /** The final answers that take this edge. Default any. */
  readonly accepts?: readonly string[];
}

export interface HandoffGraph {
  /** Every agent of the graph; some may be unreachable. */
  readonly agentIds: readonly string[];
  readonly entry: string;
  readonly edges: readonly GraphEdge[];
  readonly exits: readonly string[];
}

export interface HandoffGraphOptions {
  /** Most agents. Default 5. */
  readonly maxAgents?: number;
  /** Most edges. Default 12. */
  readonly maxEdges?: number;
  /** Answers that conditions test for. Default `0`, `1`, `2`, `3`. */
  readonly answers?: readonly string[];
}

/** A graph of agents `a0`, `a1`, … in which a run may end anywhere. Shrinks to one agent without an edge. */
export function handoffGraph(options: HandoffGraphOptions = {}): fc.Arbitrary<HandoffGraph> {
  assertKnownOptions("handoffGraph", options, ["maxAgents", "maxEdges", "answers"]);
  const { maxAgents = 5, maxEdges = 12, answers = ["0", "1", "2", "3"] } = options;
  // Places are drawn apart from the number of agents and folded into it, so that both shrink on their own.
  const place = fc.nat(maxAgents - 1);
  const accepts = fc.option(fc.subarray([...answers]), { nil: undefined, freq: 3 });
  return fc
    .record({
      count: fc.integer({ min: 1, max: maxAgents }),
      entry: place,
      edges: fc.array(fc.record({ from: place, to: place, accepts }), { maxLength: maxEdges }),
      exits: fc.array(place, { maxLength: 1 }),
    })
    .map(({ count, entry, edges, exits }) => {
      const id = (index: number) => `a${index % count}`;
      return {
        agentIds: Array.from({ length: count }, (_, index) => id(index)),
        entry: id(entry),
        edges: edges.map((edge) => ({ from: id(edge.from), to: id(edge.to), ...defined({ accepts: edge.accepts }) })),
        exits: exits.map(id),
      };
    });
}

/** The plan of a graph, for `runtime.run({ goal, plan })`. */
export function planOf({ entry, edges, exits }: HandoffGraph): Plan {
  return {
    entry,
    edges: edges.map(({ from, to, accepts }) => ({
      from,
      to,
      ...(accepts === undefined ? {} : { when: (answer: string) => accepts.includes(answer) }),
    })),
    exits,
  };
}
