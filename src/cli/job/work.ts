// One machine's part in a job. It takes a unit that no machine has, runs it and stores its result, until all units are done.

import { hostname } from "node:os";
import { AgentError, sleep, systemPorts } from "../../core/index.js";
import type { FleetCell, FleetPlan, FleetStore } from "../../host/index.js";
import { otherPlan, toText, type JobPlan } from "./plan.js";

/** The result of a unit as text, or the reason why it has none. */
export type UnitResult = { readonly text: string } | { readonly why: string };

export interface Work {
  readonly plan: JobPlan;
  /** The names of all units, in order. */
  readonly units: readonly string[];
  readonly concurrency: number;
  /** True once this machine must take no more units. */
  readonly isOver: () => boolean;
  /** Runs one unit. Undefined if it was cut short, so that another machine can run it. */
  readonly doUnit: (index: number) => Promise<UnitResult | undefined>;
}

/** Resolves when no unit is left, or when this machine stops. If `doUnit` throws, rejects with its error and gives the unit back. */
export async function workOn(store: FleetStore, work: Work): Promise<void> {
  const { openSharedQueue } = await import("./host.js");
  const cells = work.units.map((target, id) => ({ id, target }));
  const plan: FleetPlan = { id: work.plan.job, hash: toText(work.plan), cells, rate: undefined, limitUsd: undefined };
  const stop = new AbortController();
  const queue = await openSharedQueue(store, plan, systemPorts, stop.signal).catch(async (error: unknown) => {
    const isOther = error instanceof AgentError && error.code === "invalid-options";
    throw isOther ? await otherPlan(store, work.plan) : error;
  });
  const member = `${hostname()} ${process.pid}`;

  async function takeUnits(): Promise<void> {
    while (!stop.signal.aborted && !work.isOver()) {
      const claim = await queue.claim(member, new Map());
      if (claim.kind === "empty") return;
      if (claim.kind === "later") await sleep(claim.ms ?? 0, systemPorts, stop.signal).catch(() => undefined);
      else await doOne(claim.cell.id, claim.attempt ?? 1);
    }
  }

  async function doOne(id: number, attempts: number): Promise<void> {
    const target = work.units[id] ?? "";
    const startedAt = systemPorts.now();
    let result: UnitResult | undefined;
    try {
      result = await work.doUnit(id);
    } finally {
      if (result === undefined) {
        stop.abort();
        await queue.complete(id, { status: "skipped", target, attempts: 0, reason: "aborted" });
      }
    }
    if (result === undefined) return;
    const begun = { member, target, attempts, startedAt, endedAt: systemPorts.now() };
    await queue.complete(id, toCell(begun, result));
  }

  const ends = await Promise.allSettled(Array.from({ length: work.concurrency }, () => takeUnits()));
  await queue.close?.();
  const failed = ends.find((end) => end.status === "rejected");
  if (failed !== undefined) throw failed.reason;
}

type Begun = Pick<FleetCell & { status: "done" }, "member" | "target" | "attempts" | "startedAt" | "endedAt">;

function toCell(begun: Begun, result: UnitResult): FleetCell {
  if ("why" in result) {
    return { status: "failed", ...begun, error: { code: "unknown", message: result.why, retryable: false } };
  }
  const usage = { inputTokens: 0, outputTokens: 0 };
  const own = { agentId: "cassette", finalAnswer: result.text, turns: 0, toolCalls: 0, usage };
  return { status: "done", ...begun, result: own };
}

/** The settled units of a job in order: each result, or the reason why it is missing. */
export async function* settledUnits(
  store: FleetStore,
  job: string,
): AsyncGenerator<{ readonly unit: string } & UnitResult> {
  for await (const cell of store.results(job)) {
    const unit = cell.target;
    if (cell.status === "done") yield { unit, text: cell.result.finalAnswer };
    else yield { unit, why: cell.status === "failed" ? cell.error.message : "it was cancelled" };
  }
}
