// `playhead/execution`: the host in memory, and the ports of a host of your own. Every public name of this door is listed here by hand.

export {
  cancelDurableChildRuns,
  readRun,
  resumeAndDrain,
  resumeRun,
  ToolExecutionNeedsRecoveryError,
} from "../core/session/index.js";
export { journaled, type DurableStep, type Journaled } from "../core/session/index.js";
export { createInMemoryExecutionHost, type AgentHost } from "../core/session/index.js";
export type {
  // hosts
  Delivery,
  ExecutionHost,
  ExecutionScheduler,
  ExecutionStore,
  ExecutionStorePorts,
} from "../core/index.js";
export type {
  // runs
  NewRun,
  RunFailure,
  RunKind,
  RunRecord,
  RunStatus,
  RunStore,
} from "../core/index.js";
export type {
  // checkpoints
  CheckpointPhase,
  CheckpointStore,
  RunCheckpoint,
  ToolExecutionCheckpoint,
} from "../core/index.js";
export type {
  // sessions, events and notifications
  EventCursor,
  EventStore,
  NotificationInbox,
  NotificationRecord,
  SessionStore,
  StoredSession,
  StoredSessionEvent as StoredAgentEvent,
} from "../core/index.js";
