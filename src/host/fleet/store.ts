// The store of fleets that run on several machines: a port. A job is one run of a fleet under an id that all machines use.

import type { FleetCell, FleetCounts } from "./cell.js";
import type { FleetStep, QueuedCell } from "./queue.js";
import type { RateOptions } from "./rate.js";

/** The plan of a job. All machines of the job must have the same plan, so their `hash` is compared. */
export interface FleetPlan {
  readonly id: string;
  readonly hash: string;
  readonly cells: readonly QueuedCell[];
  readonly rate: RateOptions | undefined;
  readonly limitUsd: number | undefined;
}

/** A claim of a cell. It is valid until another machine claims the cell. */
export interface CellLease {
  readonly id: number;
  /** 1, and one more for each worker that was lost. */
  readonly attempt: number;
}

export type CellClaim =
  | ({ readonly kind: "claimed" } & CellLease)
  /** Other machines run the last cells, or a rate has no token. Ask again after `ms`. */
  | { readonly kind: "later"; readonly ms: number }
  | { readonly kind: "empty" };

/** A job as one machine sees it. Each method rejects with `AgentError` `store-failed`. */
export interface FleetJob {
  /** How long a claim holds in ms, unless it is renewed. */
  readonly leaseMs: number;
  /** Claims the first cell of `member` whose target has a token, and takes the token. */
  claim(member: string): Promise<CellClaim>;
  /** Takes a token of `target`, or resolves with the ms until there may be one. */
  takeToken(target: string): Promise<number>;
  /** Renews claims. A claim of another machine stays as it is. */
  renew(leases: readonly CellLease[]): Promise<void>;
  /** Stores the result of a cell. Resolves with the stored one, or with undefined if another machine has the cell. */
  settle(lease: CellLease, cell: FleetCell): Promise<FleetCell | undefined>;
  /** Returns an unfinished cell to the others. */
  release(lease: CellLease): Promise<void>;
  /** Ends the claims of machines that have died. It is called about every second. */
  endDead(): Promise<void>;
  /** All results so far, in the order of the cells. */
  settled(): AsyncIterable<{ readonly id: number; readonly cell: FleetCell }>;
  /** The steps of a cell. A step rejects with `lease-lost` if another machine has the cell. */
  steps(lease: CellLease): FleetStep;
}

/** Keeps the cells of fleets for several machines; made by `postgresFleetStore`. Each method rejects with `AgentError` `store-failed`. */
export interface FleetStore {
  /** For `createFleet`. Creates the job, or joins it. Rejects with `invalid-options` if the job has another plan. */
  open(plan: FleetPlan): Promise<FleetJob>;
  /** The `hash` of the plan of one job, or of the newest 100. Empty if no such job exists. */
  plans(jobId?: string): Promise<readonly string[]>;
  /** The results of a job so far, in the order of its cells. */
  results(jobId: string): AsyncIterable<FleetCell>;
  /** The number of cells of a job by status. */
  counts(jobId: string): Promise<FleetCounts & { readonly running: number; readonly waiting: number }>;
  /** Skips the waiting cells of a job, on all machines. Running ones end. */
  cancel(jobId: string): Promise<void>;
  /** Deletes a job with its results. Machines that still run it fail with `store-failed`. */
  remove(jobId: string): Promise<void>;
  close(): Promise<void>;
}
