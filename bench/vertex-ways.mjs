// A graph vertex, and a run of the runtime over the same chain, streaming with one listener. Each is timed in its own process (worker.mjs).

import { createRuntime, fallbackProvider } from "playhead";
import { createAgentNodeExecutor, createToolRegistry } from "playhead/agent-runner";
import { recordingProvider } from "playhead/cassette";
import { add, ADD_SCHEMA, assertWork, createModel, GOAL, SYSTEM } from "./workload.mjs";

const addTool = { name: "add", description: "Adds two numbers", schema: ADD_SCHEMA, invoke: add };
const { registry, tools } = createToolRegistry([addTool]);
const agent = { id: "bench", provider: "bench", model: "instant", system_prompt: SYSTEM, tools: ["add"] };
const node = { agent_ref: "bench", prompt_template: GOAL };
const vertex = { id: "bench", type: "agent", config: { kind: "agent", node, resolvedAgent: agent } };
const keep = (provider) => provider;

/** The run also keeps its messages, so that the work can be checked. */
async function runVertex(turns, calls, wrap) {
  let last;
  let recorder;
  const model = createModel(turns, calls);
  const watched = { name: model.name, turn: (request) => ((last = request.messages), model.turn(request)) };
  const executor = createAgentNodeExecutor({
    resolveProvider: () => watched,
    registry,
    tools,
    limits: { maxToolTurns: turns, maxToolCalls: turns * 10 },
    provide: (live) => (recorder = wrap(live())),
  });
  const outcome = await executor.execute({
    vertex,
    inputs: {},
    ctx: {},
    runOutputs: new Map(),
    signal: new AbortController().signal,
    emit: () => {},
  });
  if (outcome.kind === "failed") throw new Error(outcome.error.message);
  recorder.toCassette?.();
  return { finalAnswer: outcome.output, messages: last };
}

async function runChain(turns, calls, wrap) {
  const chain = fallbackProvider([{ provider: createModel(turns, calls), model: "instant" }], { onAttempt: () => {} });
  const provider = wrap(chain);
  const runtime = createRuntime({
    onEvent: () => {},
    agents: [
      {
        id: "bench",
        systemPrompt: SYSTEM,
        provider,
        customTools: [addTool],
        streaming: true,
        budget: { maxTurns: turns, maxToolCalls: turns * 10 },
      },
    ],
  });
  const result = await runtime.run({ goal: GOAL });
  provider.toCassette?.();
  return result;
}

const way = (run, wrap) => ({ run: (turns, calls) => run(turns, calls, wrap), check: assertWork });

export const contestants = {
  "run over a chain": way(runChain, keep),
  "run over a chain, recorded": way(runChain, (provider) => recordingProvider(provider)),
  vertex: way(runVertex, keep),
  "vertex, recorded": way(runVertex, (provider) => recordingProvider(provider)),
};
