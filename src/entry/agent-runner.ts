// `playhead/agent-runner`: one vertex of a graph to one outcome. Every public name of this door is listed here by hand; see
// docs/agent-runner.md.

export {
  // the executor and its vertices
  createAgentNodeExecutor,
  type AgentNode,
  type AgentPlanConfig,
  type AgentRunnerDeps,
  type AgentTurnLimits,
  type NodeExecContext,
  type NodeExecutor,
  type NodeOutcome,
  type NodeRef,
  type PlanVertex,
  type ResolvedAgent,
} from "../core/vertex/index.js";
export {
  // tools
  createToolRegistry,
  ToolCancelledError,
  ToolExecutionError,
  UnknownToolError,
  type ToolDef,
  type ToolRegistry,
} from "../core/vertex/index.js";
export {
  // templates and gates
  findSecretReferences,
  scanTemplate,
  type AttemptEgress,
  type Egress,
  type EgressVerdict,
  type ResolverCapabilities,
} from "../core/vertex/index.js";
export {
  // events, costs and failures
  classifyFailure,
  createNodeProjection,
  createRunTotal,
  limitFailure,
  projectNodeEvents,
  toFallbackEntries,
  type MediaProvider,
  type NodeErrorCode,
  type NodeEventBody,
  type NodeFailure,
} from "../core/vertex/index.js";
export {
  // receipts
  createReceiptChain,
  systemPorts,
} from "../core/vertex/index.js";
export {
  // the chain, and the names by which other engines know parts of it
  fallbackProvider,
  LlmError,
  ToolArgsInvalidError,
  ToolPolicyError,
  type FallbackChainOptions,
  type FallbackPlanEntry,
  type LlmProvider,
} from "../core/vertex/index.js";
