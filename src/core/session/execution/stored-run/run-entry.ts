// What a run that this process holds is made of, and where it goes on.

import type { StoredOutcome } from "../../../loop/journal.js";
import type { Ports } from "../../../ports.js";
import type { ToolExecutionCheckpoint } from "../../ports/checkpoint-store.js";
import type { ExecutionStore } from "../../ports/execution-host.js";
import type { TurnControl } from "../../state/keeper.js";
import type { Recovery } from "../recovery.js";
import type { RuntimeState } from "./journal-items.js";

export interface LiveRunTerms {
  readonly store: ExecutionStore;
  readonly runId: string;
  readonly sessionKey: string;
  readonly leaseId: string;
  readonly ports: Ports;
}

/** Where a run goes on. */
export interface RunEntry {
  readonly control: TurnControl;
  /** The claims of the run so far, this one included. */
  readonly attempt: number;
  readonly version: number;
  readonly state: RuntimeState;
  readonly pending: readonly ToolExecutionCheckpoint[];
  readonly results: ReadonlyMap<number, StoredOutcome>;
  readonly recovery: Recovery | undefined;
}
