// `playhead/env`: a runtime on one environment value. Every public name of this door is listed here by hand; see docs/env.md.

export {
  // the runtime
  conversationIdOf,
  createEnvRuntime,
  type AgentResponse,
  type Config,
  type ConversationView,
  type Env,
  type EnvAgent,
  type EnvEvent as AgentEvent,
  type EnvRuntime as Runtime,
  type EnvRuntimeOptions,
  type EventMessage,
  type Provider,
  type SendRequest,
} from "../core/env/index.js";
export {
  // hooks
  askUserHook,
  compositeHook,
  delegateHook,
  dispatchTool,
  memoryHook,
  skillHook,
  toolHook,
  verbHook,
  type Hook,
  type StepNotice,
  type ToolCall,
  type ToolSchema,
} from "../core/env/index.js";
export {
  // storage and compaction
  createInMemoryStorage,
  DEFAULT_COMPACTION,
  type ArchiveMarker,
  type CompactionPolicy,
  type ConversationEntry,
  type ConversationRef,
  type ConversationStore,
  type Skill,
  type SkillStore,
  type SkillSummary,
  type Storage,
} from "../core/env/index.js";
