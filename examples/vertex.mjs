// Two vertices of a graph: one drafts, one judges the draft. The first vendor of the draft is busy, so a second one answers. The vertices
// are recorded in cassettes/vertex. CASSETTE_MODE=refresh records them again.
import { defineTool, scriptedProvider } from "playhead";
import { createAgentNodeExecutor, createRunTotal, createToolRegistry } from "playhead/agent-runner";
import { faultyProvider, useCassetteFolder } from "playhead/harness";

const facts = defineTool({
  name: "facts",
  description: "Facts about a lighthouse.",
  schema: { type: "object", required: ["name"], properties: { name: { type: "string" } } },
  invoke: ({ name }) => `${name}: built in 1859, dark since Sunday`,
});

// In place of vendors: scripts that report what they used. `busy` answers every request with an error.
const says = (content, costUsd) => ({
  message: { role: "assistant", content },
  finalAnswer: content,
  stopReason: "stop",
  usage: { inputTokens: 200, outputTokens: 40 },
  costUsd,
});
const asks = (name, args) => ({
  message: { role: "assistant", content: "", toolCalls: [{ id: "call_1", name, arguments: args }] },
  stopReason: "toolUse",
  usage: { inputTokens: 100, outputTokens: 20 },
  costUsd: 0.001,
});
const draft = scriptedProvider([asks("facts", { name: "Rott" }), says("The lighthouse on Rott went dark.", 0.002)]);
const judge = scriptedProvider([says('{"score": 4}', 0.003)]);
const overloaded = { kind: "http", error: "overloaded" };
const busy = faultyProvider(scriptedProvider([says("Never.", 0)]), { faults: [overloaded], rate: 1, seed: 1 });
const providers = { busy, draft, judge };

const writer = {
  id: "writer",
  provider: "busy",
  model: "model-a",
  system_prompt: "Write one sentence.",
  retry: { max: 2 },
  fallback_chain: [{ provider: "draft", model: "model-b" }],
  tools: ["facts"],
};
const critic = {
  id: "critic",
  provider: "judge",
  model: "model-c",
  system_prompt: "Score from 1 to 5.",
  output_schema: { type: "object", required: ["score"], properties: { score: { type: "number" } } },
};
const graph = [
  {
    id: "draft",
    node: { agent_ref: "writer", prompt_template: "Report about {{ inputs.place }}." },
    resolvedAgent: writer,
  },
  {
    id: "review",
    node: { agent_ref: "critic", prompt_template: 'Score this: {{ run.outputs["draft"] }}' },
    resolvedAgent: critic,
  },
];

const cassettes = await useCassetteFolder("cassettes/vertex", { replay: "both" });
const { registry, tools } = createToolRegistry([facts]);
const executor = createAgentNodeExecutor({
  resolveProvider: (id) => providers[id],
  registry: cassettes.registry(registry),
  tools,
  provide: (live, { nodeId }) => cassettes.provider(nodeId, live),
  outputCheck: "schema",
});

const runOutputs = new Map();
const total = createRunTotal();
for (const { id, ...parts } of graph) {
  const outcome = await executor.execute({
    vertex: { id, type: "agent", config: { kind: "agent", ...parts } },
    inputs: { place: "Rott" },
    ctx: {},
    runOutputs,
    signal: new AbortController().signal,
    emit: (event) => console.log(JSON.stringify(total(event))),
  });
  console.log(JSON.stringify(outcome));
  if (outcome.kind === "failed") process.exitCode = 1;
  else runOutputs.set(id, outcome.output);
}
await cassettes.done();
