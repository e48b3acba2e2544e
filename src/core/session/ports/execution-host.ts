// The execution host of sessions: five ports in one store, and a scheduler that delivers runs to workers.

import type { CheckpointStore } from "./checkpoint-store.js";
import type { EventStore } from "./event-store.js";
import type { NotificationInbox } from "./notification-inbox.js";
import type { RunFailure, RunKind, RunStore } from "./run-store.js";
import type { SessionStore } from "./session-store.js";

/** The five ports, as a transaction provides them. */
export interface ExecutionStorePorts {
  readonly sessions: SessionStore;
  readonly runs: RunStore;
  readonly checkpoints: CheckpointStore;
  readonly events: EventStore;
  readonly notifications: NotificationInbox;
}

/** The store of a host. */
export interface ExecutionStore extends ExecutionStorePorts {
  /** Atomic and serialisable. `work` may run more than once, so it must use only `tx`. */
  transaction<T>(work: (tx: ExecutionStorePorts) => Promise<T>): Promise<T>;
}

/** Delivers runs to workers. A lost or repeated delivery is harmless, because the claim decides. */
export interface ExecutionScheduler {
  enqueueRun(
    runId: string,
    options: {
      readonly ownerNamespace: string;
      readonly sessionKey: string;
      readonly kind: RunKind;
      readonly runAfterMs?: number;
    },
  ): Promise<void>;
  cancelRun(runId: string): Promise<void>;
}

/** Executes runs of sessions. Recognised by `scheduler` and `store`. */
export interface ExecutionHost {
  /** Without `backgroundSubagents`, the tools for background work are hidden. */
  readonly capabilities: { readonly backgroundSubagents?: "in-process" | "durable" };
  readonly scheduler: ExecutionScheduler;
  readonly store: ExecutionStore;
  /** The length of a lease in ms. Default 300,000. A lease is renewed after a third of it. */
  readonly leaseMs?: number;
  /** Number of claims without a checkpoint after which a run is given up. Default 10. */
  readonly maxAttempts?: number;
  close?(): Promise<void>;
}

/** The result of a delivery. "done": the run is terminal. "failed": the run is still open. */
export type Delivery =
  | { readonly kind: "done" | "skipped" | "suspended" | "needs-recovery" }
  | { readonly kind: "failed"; readonly error: RunFailure };

/** Where an agent keeps its sessions: a host that executes runs, or only a snapshot store. */
export type AgentHost =
  | ExecutionHost
  | {
      readonly sessionStore?: SessionStore;
      readonly capabilities?: ExecutionHost["capabilities"];
      onResume?(runId: string): void;
    };
