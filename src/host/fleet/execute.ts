// Runs one cell from claim to result. Every failure is data.

import { AgentError, hashJson, sleep, untilAborted, type AgentRuntime, type Ports } from "../../core/index.js";
import { toFleetError, toFleetResult, type FleetCell, type FleetError, type FleetResult } from "./cell.js";
import type { Entry, Gates } from "./gate.js";
import type { FleetCellContext, FleetRetry, Member, PlannedCell } from "./options.js";
import type { FleetStep } from "./queue.js";

export interface CellTerms {
  readonly gates: Gates;
  readonly retry: FleetRetry | undefined;
  readonly clock: () => number;
  readonly ports: Ports;
  readonly signal: AbortSignal;
  readonly reenter: () => Promise<Entry>;
  /** The number of workers that have begun the cell, this one included. */
  readonly attempt: number;
  readonly step: FleetStep;
  /** The id of the run. */
  readonly job: string;
}

type Attempt =
  | { kind: "succeeded"; result: FleetResult }
  | { kind: "failed"; error: FleetError }
  | { kind: "aborted"; error: FleetError };

/** Runs a cell. `first` is the answer of its target's gate. Never rejects. */
export async function executeCell(
  cell: PlannedCell,
  member: Member,
  first: Entry,
  terms: CellTerms,
): Promise<FleetCell> {
  const { gates, retry, clock, signal } = terms;
  const { target } = cell;
  const whose = { member: member.id, target };
  let entry = first.kind === "later" ? await enterAfter(first.ms, terms) : first;
  if (entry.kind === "refused") return { status: "skipped", ...whose, attempts: 0, reason: "breaker-open" };

  const startedAt = clock();
  const goal = entry.kind === "in" && !signal.aborted ? toGoal(cell, member) : "";
  if (entry.kind === "aborted" || signal.aborted || typeof goal !== "string") {
    // The target has not been called.
    if (entry.kind === "in") gates.settle(target, entry.pass, "aborted", clock());
    if (typeof goal === "string") return { status: "skipped", ...whose, attempts: 0, reason: "aborted" };
    return { status: "failed", ...whose, attempts: 0, startedAt, endedAt: clock(), error: goal };
  }
  for (let attempts = 1; ; attempts++) {
    const attempt = await attemptRun(cell, member, goal, terms);
    gates.settle(target, entry.pass, attempt.kind, clock());
    const begun = { ...whose, attempts, startedAt, endedAt: clock() };
    if (attempt.kind === "succeeded") return { status: "done", ...begun, result: attempt.result };
    const failed: FleetCell = { status: "failed", ...begun, error: attempt.error };
    const mayRetry = attempt.kind === "failed" && attempt.error.retryable && attempts < (retry?.attempts ?? 1);
    if (!mayRetry) return failed;
    entry = await enterAfter(retry?.waitMs ?? 0, terms);
    if (entry.kind !== "in") return failed;
  }
}

/** The goal as text, or the reason why it is not usable. */
function toGoal({ goal, target }: PlannedCell, member: Member): string | FleetError {
  if (typeof goal === "string") return goal;
  try {
    const given: unknown = goal(member.id);
    if (typeof given === "string") return given;
    throw new AgentError("invalid-options", `the goal of target ${target} for member ${member.id} is ${typeof given}`, {
      hint: "Return a string.",
    });
  } catch (error) {
    return toFleetError(error);
  }
}

async function attemptRun(cell: PlannedCell, member: Member, goal: string, terms: CellTerms): Promise<Attempt> {
  const { signal } = terms;
  let own: AgentRuntime | undefined;
  try {
    const runtime = member.runtime ?? (own = member.perCell(contextOf(cell, member, terms)));
    return { kind: "succeeded", result: toFleetResult(await untilAborted(runtime.run({ goal, signal }), signal)) };
  } catch (error) {
    if (!signal.aborted) return { kind: "failed", error: toFleetError(error) };
    return { kind: "aborted", error: toFleetError(new AgentError("aborted", "the run was aborted")) };
  } finally {
    if (own !== undefined) await destroyRuntime(`cell ${cell.target} of member ${member.id}`, own, terms.ports);
  }
}

function contextOf({ target }: PlannedCell, { id }: Member, { job, attempt, step }: CellTerms): FleetCellContext {
  return { id: hashJson([job, id, target]), target, attempt, step };
}

/** A failure is a warning. */
export async function destroyRuntime(whose: string, runtime: AgentRuntime, ports: Ports): Promise<void> {
  try {
    await runtime.destroy();
  } catch (error) {
    ports.warn(`playhead: destroying the runtime of ${whose} failed: ${toFleetError(error).message}`);
  }
}

/** Enters the gate after `ms`, and after any further wait for the target's rate. */
async function enterAfter(
  ms: number,
  { ports, signal, reenter }: CellTerms,
): Promise<Exclude<Entry, { kind: "later" }> | { kind: "aborted" }> {
  for (let waitMs = ms; ;) {
    if (waitMs > 0) await sleep(waitMs, ports, signal).catch(() => undefined);
    if (signal.aborted) return { kind: "aborted" };
    const entry = await reenter();
    if (entry.kind !== "later") return entry;
    waitMs = entry.ms;
  }
}
