// The options of a fleet and of its runs, checked once and copied, so that later changes have no effect.

import { AgentError, assertKnownOptions, defined, showValue, type AgentRuntime, type Ports } from "../../core/index.js";
import { assertCount } from "../integer-option.js";
import {
  MAX_FLEET_ATTEMPTS,
  MAX_FLEET_CONCURRENCY,
  MAX_FLEET_CELLS,
  MAX_FLEET_COUNT,
  MAX_FLEET_MEMBERS,
  MAX_FLEET_WAIT_MS,
} from "../limits.js";
import type { BreakerOptions } from "./breaker.js";
import { toFleetError, type FleetCell, type FleetCounts } from "./cell.js";
import type { FleetStep, QueuedCell } from "./queue.js";
import type { RateOptions } from "./rate.js";
import type { FleetStore } from "./store.js";

/** One member of a fleet: a runtime under an id, or one for each cell. */
export type FleetMember =
  | {
      readonly id: string;
      /** The member's own runtime, with its own providers and key. A function is called once, when the fleet is made. */
      readonly runtime: AgentRuntime | (() => AgentRuntime);
      readonly perCell?: undefined;
    }
  | {
      readonly id: string;
      /** Makes the runtime of one run of a cell. It is destroyed after the run. */
      readonly perCell: (cell: FleetCellContext) => AgentRuntime;
      readonly runtime?: undefined;
    };

/** What `perCell` receives. `journaled(step, id)` of `playhead/execution` makes a provider whose turns are steps. */
export interface FleetCellContext {
  /** The same on all machines and for each attempt, and unique to the cell. */
  readonly id: string;
  readonly target: string;
  /** 1, and one more for each worker that was lost while it ran the cell. */
  readonly attempt: number;
  /** Runs `work` and keeps its result in the fleet's store, for a later attempt. Without a store, it only runs `work`. */
  readonly step: FleetStep;
}

/** How often and when a failed cell is run again. */
export interface FleetRetry {
  /** Highest number of runs of one cell, 2 to 100. */
  readonly attempts: number;
  /** Wait between two runs, at most a day. The cell keeps its place meanwhile. Default 0. */
  readonly waitMs?: number;
}

/** The options of {@link createFleet}. A wrong one is `AgentError` `invalid-options`. */
export interface FleetOptions {
  readonly members: readonly FleetMember[];
  /** Concurrent cells of all members and runs together. 1 to 1,000, default 4. */
  readonly concurrency?: number;
  /** Concurrent cells of one member. 1 to 1,000, default 1. */
  readonly perMember?: number;
  /** How often a run may begin on one target. Default unlimited. */
  readonly rate?: { readonly perTarget?: RateOptions };
  /** A circuit breaker for each target. Default none. */
  readonly breaker?: BreakerOptions;
  /** Retries for `retryable` failures. Default none, because a failed run may have written something that a retry writes again. */
  readonly retry?: FleetRetry;
  /** Shares the cells of each run with other machines, which run the same program. Default: the cells stay in this process. */
  readonly store?: FleetStore;
  readonly ports?: Partial<Ports>;
}

/** A target of the members, under an id. */
export interface FleetTarget {
  readonly id: string;
  /** The goal of its runs, or a function that returns it for a member's id. */
  readonly goal: string | ((member: string) => string);
}

export interface FleetProgress {
  readonly cell: FleetCell;
  readonly counts: FleetCounts;
}

/** The options of one run of a fleet. A wrong one is `AgentError` `invalid-options`. */
export interface FleetRunOptions {
  /** Names the job in the `store`, which needs it. All machines that pass the same id share the cells. */
  readonly id?: string;
  /** No cell begins once the `done` cells of all machines cost `costUsd`. Needs a `store`. */
  readonly limit?: { readonly costUsd: number };
  readonly targets: readonly FleetTarget[];
  /** `each`: every member runs every target. `any`: each target once, on any free member. Default `each`. */
  readonly assign?: "each" | "any";
  /** Called once for each cell, in the order in which they end. An error is a warning. */
  readonly onProgress?: (progress: FleetProgress) => void;
  readonly signal?: AbortSignal;
}

export type Member = { readonly id: string } & (
  | { readonly runtime: AgentRuntime; readonly perCell?: undefined }
  | { readonly perCell: (cell: FleetCellContext) => AgentRuntime; readonly runtime?: undefined }
);

export interface PlannedCell extends QueuedCell {
  readonly goal: FleetTarget["goal"];
}

export function assertFleetOptions(options: FleetOptions): void {
  const known = ["members", "concurrency", "perMember", "rate", "breaker", "retry", "store", "ports"];
  assertKnownOptions("createFleet", options, known);
  if (options.store !== undefined && typeof options.store?.open !== "function")
    throw bad("store is not a store of fleets", "Pass the result of postgresFleetStore.");
  const { concurrency = 4, perMember = 1, rate, breaker, retry } = options;
  assertCount("concurrency", concurrency, 1, MAX_FLEET_CONCURRENCY);
  assertCount("perMember", perMember, 1, MAX_FLEET_CONCURRENCY);
  if (rate !== undefined) assertKnownOptions("rate", rate, ["perTarget"]);
  if (rate?.perTarget !== undefined) {
    assertKnownOptions("rate.perTarget", rate.perTarget, ["calls", "perMs"]);
    assertCount("rate.perTarget.calls", rate.perTarget.calls, 1, MAX_FLEET_COUNT);
    assertCount("rate.perTarget.perMs", rate.perTarget.perMs, 1, MAX_FLEET_WAIT_MS);
  }
  if (breaker !== undefined) {
    assertKnownOptions("breaker", breaker, ["failures", "cooldownMs"]);
    assertCount("breaker.failures", breaker.failures, 1, MAX_FLEET_COUNT);
    assertCount("breaker.cooldownMs", breaker.cooldownMs, 0, MAX_FLEET_WAIT_MS);
  }
  if (retry !== undefined) {
    assertKnownOptions("retry", retry, ["attempts", "waitMs"]);
    assertCount("retry.attempts", retry.attempts, 2, MAX_FLEET_ATTEMPTS);
    assertCount("retry.waitMs", retry.waitMs ?? 0, 0, MAX_FLEET_WAIT_MS);
  }
}

/** The members with their runtimes. Throws `invalid-options`, with the error of a runtime function as `cause`. */
export function createMembers(members: readonly FleetMember[]): Member[] {
  assertList("createFleet", "members", members, MAX_FLEET_MEMBERS);
  for (const member of members) assertKnownOptions("a member", member, ["id", "runtime", "perCell"]);
  assertIds("member", members);
  const runtimes = new Set<AgentRuntime>();
  return members.map((member): Member => {
    const { id, perCell } = member;
    if (perCell !== undefined) {
      if (typeof perCell === "function" && member.runtime === undefined) return { id, perCell };
      const what = typeof perCell === "function" ? "both a runtime and perCell" : `the perCell ${showValue(perCell)}`;
      throw bad(`member ${id} has ${what}`, "Pass either a runtime or a function perCell.");
    }
    const runtime = makeRuntime(id, member.runtime);
    if (typeof runtime?.run !== "function" || typeof runtime.destroy !== "function")
      throw bad(`member ${id} has no runtime`, "Pass the result of createRuntime, or a function that returns it.");
    if (runtimes.has(runtime))
      throw bad(`member ${id} has another member's runtime`, "Make a runtime for each member.");
    runtimes.add(runtime);
    return { id, runtime };
  });
}

function makeRuntime(id: string, runtime: FleetMember["runtime"]): AgentRuntime | undefined {
  if (typeof runtime !== "function") return runtime;
  try {
    return runtime();
  } catch (cause) {
    const { message, hint = "See `cause`." } = toFleetError(cause);
    throw bad(`the runtime of member ${id} could not be made: ${message}`, hint, cause);
  }
}

/** The cells of one run in order: member by member, each with all targets. Throws `invalid-options`. */
export function planCells(members: readonly Member[], options: FleetRunOptions): PlannedCell[] {
  assertKnownOptions("run", options, ["id", "limit", "targets", "assign", "onProgress", "signal"]);
  const { targets, assign = "each" } = options;
  const ways: readonly unknown[] = ["each", "any"];
  if (!ways.includes(assign)) throw bad(`assign is ${JSON.stringify(assign)}`, `Use "each" or "any".`);
  assertList("run", "targets", targets, MAX_FLEET_CELLS);
  for (const target of targets) {
    assertKnownOptions("a target", target, ["id", "goal"]);
    if (typeof target.goal === "string" || typeof target.goal === "function") continue;
    throw bad(`target ${target.id} has no goal`, "Pass a string, or a function that returns one for a member.");
  }
  assertIds("target", targets);
  const lanes = assign === "any" ? [{}] : members.map(({ id }) => ({ member: id }));
  const count = lanes.length * targets.length;
  if (count > MAX_FLEET_CELLS) {
    throw bad(`a run has ${count} cells`, `The limit is ${MAX_FLEET_CELLS}. Run fewer targets at a time.`);
  }
  return lanes.flatMap((lane, row) =>
    targets.map(({ id, goal }, column) => ({ id: row * targets.length + column, target: id, goal, ...lane })),
  );
}

/** Checks what only a run with a store has. Throws `invalid-options`. */
export function assertShared({ id, limit }: FleetRunOptions, store: FleetStore | undefined): void {
  if (id !== undefined && (typeof id !== "string" || id === ""))
    throw bad(`the id of the run is ${showValue(id)}`, "Pass text that is not empty.");
  if (store !== undefined && id === undefined)
    throw bad("a run with a store has no id", "Pass the same `id` on each machine.");
  if (limit === undefined) return;
  if (store === undefined)
    throw bad("a run without a store has a limit", "Give the fleet a store, or leave out the limit.");
  assertKnownOptions("limit", limit, ["costUsd"]);
  if (!(Number.isFinite(limit.costUsd) && limit.costUsd >= 0))
    throw bad(`limit.costUsd is ${String(limit.costUsd)}`, "Pass an amount in USD, at least 0.");
}

function assertList(owner: string, name: string, list: readonly unknown[], most: number): void {
  if (!Array.isArray(list) || list.length === 0) throw bad(`${owner} has no ${name}`, `Pass at least one.`);
  if (list.length > most) throw bad(`${owner} has ${list.length} ${name}`, `The limit is ${most}.`);
}

function assertIds(what: string, list: readonly { readonly id: string }[]): void {
  const ids = new Set<string>();
  for (const { id } of list) {
    if (typeof id !== "string" || id === "")
      throw bad(`the id of a ${what} is ${showValue(id)}`, "Pass text that is not empty.");
    if (ids.has(id)) throw bad(`two ${what}s have the id ${id}`, `Give each ${what} its own id.`);
    ids.add(id);
  }
}

function bad(message: string, hint: string, cause?: unknown): AgentError {
  return new AgentError("invalid-options", message, { hint, ...defined({ cause }) });
}
