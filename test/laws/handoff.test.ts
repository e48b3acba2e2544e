import fc from "fast-check";
import { expect, it } from "vitest";
import { recordingProvider } from "../../src/cassette/record/recording-provider.js";
import { cassetteProvider } from "../../src/cassette/replay/replay.js";
import type { LlmProviderAdapter } from "../../src/core/model/provider.js";
import { scriptedProvider } from "../../src/core/providers/scripted.js";
import type { RunResult } from "../../src/core/runtime/run-plan.js";
import { handoffGraph, planOf, type GraphEdge, type HandoffGraph } from "../../src/harness/arbitraries/plans.js";
import { agent, runtime } from "../support/agents.js";
import { recordedCassette } from "../support/oracle.js";
import { path, told } from "../support/plans.js";
import { fixedPorts } from "../support/recording.js";
import { ask, say } from "../support/script.js";

interface Step {
  answer: number;
  /** Turns with a refused call before the answer. */
  detours: number;
}
interface Play {
  graph: HandoffGraph;
  /** By their place in `agentIds`; those beyond it are nobody's. */
  agents: { steps: Step[]; maxTurns: number }[];
  limit: number;
}

const LONGEST = 5;
const MOST = 5;
const step = fc.record({ answer: fc.nat(3), detours: fc.constantFrom(0, 0, 0, 1, 2) });
const graph: fc.Arbitrary<Play> = fc
  .record({
    graph: handoffGraph({ maxAgents: MOST }),
    agents: fc.array(
      fc.record({
        steps: fc.array(step, { minLength: LONGEST, maxLength: LONGEST }),
        maxTurns: fc.constantFrom(50, 50, 0, 1, 2, 3),
      }),
      { minLength: MOST, maxLength: MOST },
    ),
    limit: fc.integer({ min: 1, max: LONGEST }),
  })
  .map((play) => ({ ...play, agents: play.agents.slice(0, play.graph.agentIds.length) }));

const id = (index: number) => `a${index}`;

const scripts = ({ agents }: Play): LlmProviderAdapter[] =>
  agents.map(({ steps }) =>
    scriptedProvider(
      steps.flatMap(({ answer, detours }) => [
        ...Array.from({ length: detours }, () => ask([{ name: "gone" }])),
        say(String(answer)),
      ]),
    ),
  );

function run(given: Play, providers: readonly LlmProviderAdapter[] = scripts(given)): Promise<RunResult> {
  const agents = given.agents.map(({ maxTurns }, index) =>
    agent(providers[index] as LlmProviderAdapter, { id: id(index), budget: { maxTurns } }),
  );
  return runtime(agents, { maxAgentVisits: given.limit }).run({ goal: "g", plan: planOf(given.graph) });
}

interface Left {
  steps: Step[];
  left: number;
  visits: number;
  words: string;
  over: boolean;
}

/** The path by the words of the plan alone: no loop, no provider, no runtime. */
function expectedPath({ agents, graph: { agentIds, entry, edges, exits }, limit }: Play): string[] {
  const state = new Map<string | undefined, Left>(
    agents.map(({ steps, maxTurns }, index) => [
      agentIds[index],
      { steps: [...steps], left: maxTurns, visits: 0, words: "", over: false },
    ]),
  );
  const visited: string[] = [];
  for (let at: string | undefined = entry; at !== undefined;) {
    const here: Left = state.get(at)!;
    here.visits += 1;
    visited.push(at);
    const step = here.over ? undefined : here.steps.shift();
    if (step !== undefined && here.left > step.detours) {
      here.left -= step.detours + 1;
      here.words = String(step.answer);
    } else {
      here.over = true;
    }
    if (exits.includes(at)) break;
    const { words } = here;
    const next: GraphEdge | undefined = edges.find(
      ({ from, accepts }) => from === at && (accepts === undefined || accepts.includes(words)),
    );
    at = next !== undefined && state.get(next.to)!.visits < limit ? next.to : undefined;
  }
  return visited;
}

it("PLK-77 PLK-79 any graph ends, and no agent is entered more often than the limit says", async () => {
  await fc.assert(
    fc.asyncProperty(graph, async (given) => {
      const result = await run(given);
      for (let index = 0; index < given.agents.length; index++) {
        const entered = path(result).filter((agentId) => agentId === id(index)).length;
        expect(entered).toBeLessThanOrEqual(given.limit);
        const turns = result.visits
          .filter(({ agentId }) => agentId === id(index))
          .reduce((sum, visit) => sum + visit.turns, 0);
        expect(turns).toBeLessThanOrEqual(given.agents[index]?.maxTurns ?? 0);
      }
      const cycles = told(result, "handoff-cycle");
      expect(cycles).toHaveLength(result.ended.kind === "cycle" ? 1 : 0);
      expect(result.events.at(-1)?.type).toBe("run-end");
    }),
    { numRuns: 300 },
  );
});

it("PLK-75 PLK-76 PLK-81 the handoffs are a path of the graph that begins at its entry: the first edge that matches, each time", async () => {
  await fc.assert(
    fc.asyncProperty(graph, async (given) => {
      const result = await run(given);
      expect(path(result)).toEqual(expectedPath(given));
      let at = given.graph.entry;
      for (const event of result.events) {
        if (event.type !== "handoff") continue;
        const edge = given.graph.edges[event.edge];
        expect([event.from, event.to]).toEqual([at, edge?.to]);
        expect(edge?.from).toBe(at);
        at = event.to;
      }
      expect(result.agentId).toBe(at);
    }),
    { numRuns: 300 },
  );
});

it("PLK-75 the same inputs give the same path, the same events and the same conversations", async () => {
  await fc.assert(
    fc.asyncProperty(graph, async (given) => {
      const [first, second] = [await run(given), await run(given)];
      expect(told(second)).toEqual(told(first));
      expect(second.visits).toEqual(first.visits);
      expect([second.ended, second.shared]).toEqual([first.ended, first.shared]);
    }),
    { numRuns: 150 },
  );
});

it("PLK-104 PLK-137 a cassette of each agent replays the whole plan, and its turns are those of the events", async () => {
  await fc.assert(
    fc.asyncProperty(graph, async (given) => {
      const recorders = scripts(given).map((provider) => recordingProvider(provider, { ports: fixedPorts() }));
      const live = await run(given, recorders);
      const turns = (index: number) =>
        live.events.flatMap((event) =>
          event.type === "llm-turn" && event.agentId === id(index) ? [event.turnIndex] : [],
        );
      const replays: LlmProviderAdapter[] = [];
      for (const [index, recorder] of recorders.entries()) {
        if (turns(index).length === 0) {
          replays.push(scriptedProvider([]));
          continue;
        }
        const cassette = await recordedCassette(recorder, { agentId: id(index) });
        expect(cassette.entries.map(({ turnIndex }) => turnIndex)).toEqual(turns(index));
        replays.push(cassetteProvider(cassette));
      }
      const replayed = await run(given, replays);
      expect(told(replayed)).toEqual(told(live));
      expect(replayed.visits).toEqual(live.visits);
    }),
    { numRuns: 100 },
  );
});
