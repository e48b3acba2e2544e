// A fleet: N members, each with its own runtime, over M targets. It decides what runs when. Keys and signing belong to the runtimes.

import { randomUUID } from "node:crypto";
import { setMaxListeners } from "node:events";
import pLimit from "p-limit";
import { AgentError, defined, joinSignals, withSystemPorts } from "../core/index.js";
import { destroyRuntime } from "./fleet/execute.js";
import { createGates } from "./fleet/gate.js";
import {
  assertFleetOptions,
  assertShared,
  createMembers,
  planCells,
  type FleetOptions,
  type FleetRunOptions,
  type PlannedCell,
} from "./fleet/options.js";
import { planHash } from "./fleet/plan-hash.js";
import { createLocalQueue } from "./fleet/queue.js";
import { createSteadyClock } from "./fleet/rate.js";
import { runCells, type FleetRun, type FleetShared } from "./fleet/run.js";
import { openSharedQueue } from "./fleet/shared-queue.js";
import { MAX_FLEET_CELLS } from "./limits.js";

/** Members that run targets. Created by {@link createFleet}. See docs/runtime.md. */
export interface Fleet {
  /**
   * Resolves when every cell is settled. A failed cell is data. When `signal` fires, running cells fail with the code `aborted`, the
   * others are skipped, and it resolves with the results so far. Rejects only with `AgentError`: `invalid-options`, `aborted` once the
   * fleet is destroyed, or `store-failed` if its store cannot be reached for a minute.
   */
  run(options: FleetRunOptions): Promise<FleetRun>;
  /** Aborts all runs, waits for them, then destroys every runtime. A failure of a runtime is a warning. Safe to call twice. */
  destroy(): Promise<void>;
}

/** Makes a fleet. Throws `AgentError` `invalid-options`. */
export function createFleet(options: FleetOptions): Fleet {
  assertFleetOptions(options);
  const shared = createShared(options);
  const destroyed = new AbortController();
  const runs = new Set<Promise<FleetRun>>();
  let destroying: Promise<void> | undefined;

  async function destroyAll(): Promise<void> {
    destroyed.abort(new AgentError("aborted", "the fleet was destroyed"));
    await Promise.allSettled(runs);
    await Promise.all(
      shared.crews.map(async ({ id, runtime }) => {
        if (runtime !== undefined) await destroyRuntime(`member ${id}`, runtime, shared.ports);
      }),
    );
  }

  return {
    async run(run) {
      if (destroyed.signal.aborted) {
        throw new AgentError("aborted", "the fleet was destroyed", { hint: "Make a new one." });
      }
      assertShared(run, shared.store);
      const cells = planCells(shared.crews, run);
      const signal = joinSignals(destroyed.signal, ...(run.signal === undefined ? [] : [run.signal]));
      // Every loop and every cell listens, which Node would report as a leak.
      setMaxListeners(0, signal);
      shared.gates.forget(shared.clock(), MAX_FLEET_CELLS);
      const running = runQueue(shared, run, cells, signal);
      runs.add(running);
      try {
        return await running;
      } finally {
        runs.delete(running);
      }
    },
    destroy: () => (destroying ??= destroyAll()),
  };
}

async function runQueue(
  shared: FleetShared,
  { id, limit, onProgress }: FleetRunOptions,
  cells: readonly PlannedCell[],
  signal: AbortSignal,
): Promise<FleetRun> {
  const { store, ports, rate, retry, crews } = shared;
  if (store === undefined || id === undefined)
    return runCells(shared, id ?? randomUUID(), cells, createLocalQueue(), onProgress, signal);
  const terms = { cells: cells.map(({ goal: _goal, ...cell }) => cell), rate, limitUsd: limit?.costUsd };
  const members = crews.map((member) => member.id);
  const plan = { ...terms, id, hash: planHash(terms, members, retry) };
  const queue = await openSharedQueue(store, plan, ports, signal);
  try {
    return await runCells(shared, id, cells, queue, onProgress, signal);
  } finally {
    await queue.close?.();
  }
}

function createShared(options: FleetOptions): FleetShared {
  const { concurrency = 4, perMember = 1, breaker, retry, store } = options;
  const rate = structuredClone(options.rate?.perTarget);
  const ports = withSystemPorts(options.ports);
  return {
    crews: createMembers(options.members).map((member) => ({ ...member, places: pLimit(perMember), size: perMember })),
    places: pLimit(concurrency),
    oneAtATime: pLimit(1),
    // A store has the tokens of all machines.
    gates: createGates(defined({ rate: store === undefined ? rate : undefined, breaker: structuredClone(breaker) })),
    retry: structuredClone(retry),
    store,
    rate,
    clock: createSteadyClock(() => ports.now()),
    ports,
  };
}
