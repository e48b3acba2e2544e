// Vertices for tests: short forms of agents and nodes, an execution that keeps its events, and two vendors on loopback sockets.

import type { NodeEventBody } from "../../src/core/vertex/events.js";
import { createAgentNodeExecutor } from "../../src/core/vertex/executor.js";
import type { AgentRunnerDeps } from "../../src/core/vertex/host/deps.js";
import { createToolRegistry } from "../../src/core/vertex/tools/registry.js";
import type {
  AgentNode,
  NodeExecContext,
  NodeExecutor,
  NodeOutcome,
  PlanVertex,
  ResolvedAgent,
} from "../../src/core/vertex/vertex.js";
import type { LlmProviderAdapter } from "../../src/core/model/provider.js";
import type { CustomTool } from "../../src/core/tools/tool.js";
import { systemPorts } from "../../src/core/ports.js";

export const AGENT: ResolvedAgent = { id: "writer", provider: "first", model: "m-1", system_prompt: "You are brief." };
export const NODE: AgentNode = { agent_ref: "writer", prompt_template: "Write about {{ inputs.topic }}." };

/** An agent vertex `n1`. */
export function vertexOf(node: Partial<AgentNode> = {}, agent: Partial<ResolvedAgent> = {}, id = "n1"): PlanVertex {
  return {
    id,
    type: "agent",
    config: { kind: "agent", node: { ...NODE, ...node }, resolvedAgent: { ...AGENT, ...agent } },
  };
}

/** Deps over these providers by id and these tools, without waits and warnings. */
export function depsOf(
  providers: Readonly<Record<string, LlmProviderAdapter>>,
  extra: Partial<AgentRunnerDeps> = {},
  tools: readonly CustomTool[] = [],
): AgentRunnerDeps {
  return {
    resolveProvider: (id) => (Object.hasOwn(providers, id) ? providers[id] : undefined),
    ...createToolRegistry(tools),
    sleep: () => Promise.resolve(),
    ports: { ...systemPorts, warn: () => undefined },
    ...extra,
  };
}

export interface Executed {
  readonly outcome: NodeOutcome;
  readonly events: readonly NodeEventBody[];
}

/** Executes a vertex, with the topic `rain` unless other inputs are given. */
export async function execute(
  given: AgentRunnerDeps | NodeExecutor,
  vertex: PlanVertex = vertexOf(),
  ctx: Partial<NodeExecContext> = {},
): Promise<Executed> {
  const executor = "execute" in given ? given : createAgentNodeExecutor(given);
  const events: NodeEventBody[] = [];
  const outcome = await executor.execute({
    ...{ vertex, inputs: { topic: "rain" }, ctx: {}, runOutputs: new Map<string, unknown>() },
    ...{ signal: new AbortController().signal, emit: (event: NodeEventBody) => void events.push(event) },
    ...ctx,
  });
  return { outcome, events };
}

/** The code of a failed outcome, or its kind. */
export function codeOf({ outcome }: Executed): string {
  return outcome.kind === "failed" ? outcome.error.code : outcome.kind;
}

export function messageOf({ outcome }: Executed): string {
  return outcome.kind === "failed" ? outcome.error.message : "";
}
