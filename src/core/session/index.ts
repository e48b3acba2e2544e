// The door of the sessions face. Only src/entry opens it.

export type { AgentInput, UserInput, UserMessage, UserPart, UserText } from "./input.js";
export type { JobStatus, OverlayPreview, Placement, SessionEvent, TurnStop } from "./event.js";
export type { AgentHost } from "./ports/execution-host.js";
export { Agent, resumeAndDrain } from "./agent.js";
export { cancelDurableChildRuns } from "./execution/cancel.js";
export { readRun } from "./execution/read-run.js";
export type { RecoveryDecision } from "./execution/recovery.js";
export { resumeRun } from "./execution/resume-run.js";
export { ToolExecutionNeedsRecoveryError } from "./execution/store-errors.js";
export { journaled, type DurableStep, type Journaled } from "./journaled.js";
export type { AgentOptions } from "./options.js";
export type { SessionHandle } from "./live/handle.js";
export type { AgentRun, RunOutcome } from "./run/run.js";
export type { RuntimeLlm, RuntimeMessage, RuntimePart, RuntimeToolResult } from "./model/runtime-llm.js";
export type { AgentTools, AnyAiSdkTool, NamedTool, StandardJsonSchema } from "./tools.js";
export {
  definePlugin,
  type AgentPlugin,
  type EventContext,
  type PluginEvents,
  type PluginHost,
} from "./plugins/plugin.js";
export { memory, type MemoryOptions } from "./plugins/memory.js";
export { toRuntime } from "./to-runtime.js";
export { compaction, type CompactionOptions } from "./plugins/compaction.js";
export { createInMemoryExecutionHost, type InMemoryHostOptions } from "./memory-host/host.js";
export { MemorySessionStore } from "./memory-host/sessions.js";
