// One vertex of a graph, the values that its engine passes to it, and its outcome.

import type { JsonObject } from "../canon/value.js";
import type { NodeEventBody } from "./events.js";
import type { MediaModality } from "./media.js";
import type { NodeFailure } from "./outcome.js";
import type { AuthoredAgent, AuthoredNode } from "./plan.js";

/** Runs vertices. Keeps no state between executions, which may overlap. Created by `createAgentNodeExecutor`. */
export interface NodeExecutor {
  /** Runs one vertex and resolves with its outcome. Never rejects. */
  execute(ctx: NodeExecContext): Promise<NodeOutcome>;
}

/** The values that an engine passes to one execution. */
export interface NodeExecContext {
  readonly vertex: PlanVertex;
  /** The inputs of the graph: `{{ inputs.name }}`. */
  readonly inputs: Readonly<Record<string, unknown>>;
  /** Values of the engine: `{{ ctx.key }}`. */
  readonly ctx: Readonly<Record<string, unknown>>;
  /** The outputs of other vertices by id: `{{ run.outputs["id"] }}`. */
  readonly runOutputs: ReadonlyMap<string, unknown>;
  /** Names of inputs that a prompt must not refer to. */
  readonly secretInputNames?: ReadonlySet<string>;
  /** Ends the execution at once as `cancelled`. */
  readonly signal: AbortSignal;
  /** Called with each event, in order. It is not awaited, and an error becomes a warning. */
  emit(event: NodeEventBody): void;
}

/** A vertex of a plan. This executor runs vertices of type `agent`. */
export interface PlanVertex {
  readonly id: string;
  readonly type: string;
  readonly config: AgentPlanConfig | Readonly<Record<string, unknown>>;
}

/** The configuration of an agent vertex: the node as authored, and the agent that its `agent_ref` names. */
export interface AgentPlanConfig {
  readonly kind: "agent";
  readonly node: AgentNode;
  /** Absent if the reference could not be resolved, which fails the vertex with `validation`. */
  readonly resolvedAgent?: ResolvedAgent;
}

/** An agent vertex as its author wrote it. Its fields override those of the agent. */
export interface AgentNode extends AuthoredNode {
  readonly agent_ref: string;
  /** The user message, a template. */
  readonly prompt_template: string;
  /** Added to the agent's system prompt after a blank line. Sent as written, never filled in. */
  readonly system_prompt_append?: string;
  /** Ids of tools, a subset of the agent's. */
  readonly tools?: readonly string[];
  /** A JSON Schema of the answer. */
  readonly output_schema?: JsonObject;
  readonly temperature?: number;
  readonly max_tokens?: number;
  /** Exactly one for a generative model. */
  readonly modalities?: readonly MediaModality[];
}

/** An authored agent. */
export interface ResolvedAgent extends AuthoredAgent {
  readonly id: string;
  /** Sent as written, never filled in. */
  readonly system_prompt: string;
  /** Ids of the tools that its vertices may use. */
  readonly tools?: readonly string[];
  readonly output_schema?: JsonObject;
  readonly temperature?: number;
  readonly max_tokens?: number;
}

/** The one outcome of an execution. `output` is the answer's text, or its parsed JSON if the vertex has a schema. */
export type NodeOutcome =
  | { readonly kind: "completed"; readonly output: unknown; readonly tokensUsed?: TokensUsed }
  | { readonly kind: "failed"; readonly error: NodeFailure };

/** Tokens of all turns of an execution, and the model that answered last. */
export interface TokensUsed {
  readonly input: number;
  readonly output: number;
  readonly model: string;
}

/** Identifies the vertex of an execution, for the host's `provide` and `log`. `model` is the first choice. */
export interface NodeRef {
  readonly nodeId: string;
  readonly agentRef: string;
  readonly providerId: string;
  readonly model: string;
}
