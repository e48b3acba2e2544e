// The queue of a run that several machines share. It renews the claims of this machine, ends those of machines that have died, and waits
// for a store that cannot be reached.

import { AgentError, sleep, type Ports } from "../../core/index.js";
import { FIRST_RECONNECT_MS, FLEET_PATIENCE_MS, MAX_RECONNECT_MS, REAP_MS } from "../limits.js";
import { toFleetError, type FleetCell } from "./cell.js";
import type { FleetQueue, FleetStep, QueuedCell } from "./queue.js";
import type { CellLease, FleetPlan, FleetStore } from "./store.js";

/** Opens the job. `signal` is that of this machine's run: a cell that it cuts short goes back to the others. */
export async function openSharedQueue(
  store: FleetStore,
  plan: FleetPlan,
  ports: Ports,
  signal: AbortSignal,
): Promise<FleetQueue> {
  const job = await patiently(() => store.open(plan), ports);
  const leases = new Map<number, CellLease>();
  /** The time at which to ask for the cells of a member again. */
  const quiet = new Map<string, number>();
  const stopRenewing = repeat(job.leaseMs / 3, ports, async () => {
    if (leases.size > 0) await job.renew([...leases.values()]);
  });
  const stopReaping = repeat(REAP_MS, ports, () => job.endDead());

  return {
    enqueue: () => undefined,
    async claim(member) {
      const waitMs = (quiet.get(member) ?? 0) - ports.now();
      if (waitMs > 0) return { kind: "later", ms: waitMs };
      const claim = await patiently(() => job.claim(member), ports);
      if (claim.kind === "later") quiet.set(member, ports.now() + claim.ms);
      if (claim.kind !== "claimed") return claim;
      leases.set(claim.id, claim);
      return { kind: "claimed", cell: plan.cells[claim.id] as QueuedCell, attempt: claim.attempt };
    },
    async complete(id, result) {
      const lease = leases.get(id);
      if (lease === undefined) throw new Error(`cell ${id} was completed without being claimed`);
      try {
        if (!isCutShort(result, signal)) return await patiently(() => settle(lease, result), ports);
        await job.release(lease).catch(() => undefined);
        return result;
      } finally {
        leases.delete(id);
      }
    },
    takeToken: (target) => patiently(() => job.takeToken(target), ports),
    steps: (id) => patientSteps(job.steps(leases.get(id) ?? { id, attempt: 0 }), ports),
    settled: () => job.settled(),
    async close() {
      await Promise.all([stopRenewing(), stopReaping()]);
    },
  };

  /** A result that the store cannot hold is a failure of its cell. */
  async function settle(lease: CellLease, result: FleetCell): Promise<FleetCell | undefined> {
    try {
      return await job.settle(lease, result);
    } catch (error) {
      const isLasting = error instanceof AgentError && !error.retryable && result.status === "done";
      if (!isLasting) throw error;
      const { result: _refused, ...begun } = result;
      return job.settle(lease, { ...begun, status: "failed", error: toFleetError(error) });
    }
  }
}

/** Repeats `work` until the returned function is called, which waits for it. If it fails, the next time may succeed before leases expire. */
function repeat(ms: number, ports: Ports, work: () => Promise<void>): () => Promise<void> {
  let stop: (() => void) | undefined;
  let working: Promise<void> = Promise.resolve();
  const later = (): void => {
    stop = ports.timer(ms, () => {
      working = work()
        .catch(() => undefined)
        .then(() => (stop === undefined ? undefined : later()));
    });
  };
  later();
  return () => {
    stop?.();
    stop = undefined;
    return working;
  };
}

/** True if this machine's abort ended the cell, so that another one can run it. */
function isCutShort(result: FleetCell, signal: AbortSignal): boolean {
  if (!signal.aborted) return false;
  return result.status === "skipped"
    ? result.reason === "aborted"
    : result.status === "failed" && result.error.code === "aborted";
}

/** Repeats the calls of the store, but never the work of a step. */
function patientSteps(step: FleetStep, ports: Ports): FleetStep {
  return (name, work) => {
    let working: ReturnType<typeof work> | undefined;
    let hasFailed = false;
    const once = () =>
      (working ??= work().catch((error: unknown) => {
        hasFailed = true;
        throw error;
      }));
    return patiently(
      () => step(name, once),
      ports,
      () => !hasFailed,
    );
  };
}

/** Repeats a call while its failure may pass. Each call of a store may be repeated. */
async function patiently<T>(call: () => Promise<T>, ports: Ports, mayRepeat = () => true): Promise<T> {
  const until = ports.now() + FLEET_PATIENCE_MS;
  for (let waitMs = FIRST_RECONNECT_MS; ; waitMs = Math.min(2 * waitMs, MAX_RECONNECT_MS)) {
    try {
      return await call();
    } catch (error) {
      const mayPass = error instanceof AgentError && error.retryable && mayRepeat() && ports.now() < until;
      if (!mayPass) throw error;
    }
    await sleep(waitMs, ports);
  }
}
