// The door of the environment face. Only src/entry opens it.

export { createEnvRuntime, type EnvRuntime } from "./runtime.js";
export type { EnvRuntimeOptions } from "./options.js";
export type { ConversationView } from "./conversation/conversation.js";
export { conversationIdOf } from "./conversation/identity.js";
export type { Config, Env, EventMessage, Provider } from "./env.js";
export {
  compositeHook,
  dispatchTool,
  type DispatchResult,
  type Hook,
  type StepNotice,
  type ToolCall,
  type ToolSchema,
} from "./hook.js";
export { askUserHook } from "./hooks/ask-user.js";
export { delegateHook, type DelegateOptions } from "./hooks/delegate.js";
export { memoryHook } from "./hooks/memory.js";
export { skillHook } from "./hooks/skills.js";
export { toolHook, verbHook } from "./hooks/tools.js";
export type { EnvAgent } from "./run/agent.js";
export type { EnvEvent } from "./run/event.js";
export type { SendRequest } from "./run/request.js";
export type { AgentResponse } from "./run/run.js";
export type { ArchiveMarker, ConversationEntry } from "./storage/entry.js";
export { createInMemoryStorage, type StorageSeed } from "./storage/memory-storage.js";
export type {
  ConversationRef,
  ConversationStore,
  Skill,
  SkillStore,
  SkillSummary,
  Storage,
} from "./storage/storage.js";
export { DEFAULT_COMPACTION, type CompactionPolicy } from "../context/compaction.js";
