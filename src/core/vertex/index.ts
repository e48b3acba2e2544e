// The door of the face `playhead/agent-runner`. Only its entry opens it.

export { AgentError as LlmError, ToolArgError as ToolArgsInvalidError, ToolPolicyError } from "../errors.js";
export type { LlmProviderAdapter as LlmProvider } from "../model/provider.js";
export { fallbackProvider, type FallbackOptions as FallbackChainOptions } from "../providers/fallback.js";
export type { FallbackEntry as FallbackPlanEntry } from "../providers/fallback/entry.js";
export { createRunTotal, type CostUpdated } from "./cost.js";
export type { AgentRunnerDeps, AgentTurnLimits } from "./host/deps.js";
export {
  createNodeProjection,
  projectNodeEvents,
  type NodeEventBody,
  type NodeFact,
  type NodeIdentity,
} from "./events.js";
export { createAgentNodeExecutor } from "./executor.js";
export type { AttemptEgress, Egress, EgressVerdict } from "./host/gate.js";
export type {
  MediaDeps,
  MediaModality,
  MediaOutput,
  MediaProvider,
  MediaRequest,
  MediaResult,
  MediaSurface,
} from "./media.js";
export { classifyFailure, limitFailure, type NodeErrorCode, type NodeFailure } from "./outcome.js";
export { systemPorts } from "../ports.js";
export { createReceiptChain } from "../receipts/chain.js";
export {
  toFallbackEntries,
  type AuthoredAgent,
  type AuthoredFallback,
  type AuthoredNode,
  type AuthoredRetry,
  type ResolveProvider,
} from "./plan.js";
export type { ResolverCapabilities } from "./prompt/resolve.js";
export { findSecretReferences, type AuthoredTexts, type SecretReference } from "./prompt/secrets.js";
export { scanTemplate, type TemplateReference } from "./prompt/template.js";
export {
  createToolRegistry,
  type FsScopeTier,
  type ToolDef,
  type ToolDispatchContext,
  type ToolRegistry,
} from "./tools/registry.js";
export { ToolCancelledError, ToolExecutionError, UnknownToolError } from "./tools/tool-errors.js";
export type {
  AgentNode,
  AgentPlanConfig,
  NodeExecContext,
  NodeExecutor,
  NodeOutcome,
  NodeRef,
  PlanVertex,
  ResolvedAgent,
  TokensUsed,
} from "./vertex.js";
