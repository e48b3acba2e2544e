// A fleet: N members, each with its own runtime, over M targets. It decides what runs when. Keys and signing belong to the runtimes.

import { setMaxListeners } from "node:events";
import pLimit from "p-limit";
import { AgentError, defined, joinSignals, withSystemPorts, type Ports } from "../core/index.js";
import { toFleetError } from "./fleet/cell.js";
import { createGates } from "./fleet/gate.js";
import {
  assertFleetOptions,
  createMembers,
  planCells,
  type FleetOptions,
  type FleetRunOptions,
  type Member,
} from "./fleet/options.js";
import { createLocalQueue } from "./fleet/queue.js";
import { createSteadyClock } from "./fleet/rate.js";
import { runCells, type FleetRun, type FleetShared } from "./fleet/run.js";
import { MAX_FLEET_CELLS } from "./limits.js";

/** Members that run targets; made by {@link createFleet}. See docs/runtime.md. */
export interface Fleet {
  /**
   * Resolves when every cell is settled. A failed cell is data. When `signal` fires, running cells fail with the code `aborted`, the
   * others are skipped, and it resolves with the results so far. Rejects only with `AgentError`: `invalid-options`, or `aborted` once
   * the fleet is destroyed.
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
    await Promise.all(shared.crews.map((member) => destroyMember(member, shared.ports)));
  }

  return {
    async run(run) {
      if (destroyed.signal.aborted) {
        throw new AgentError("aborted", "the fleet was destroyed", { hint: "Make a new one." });
      }
      const cells = planCells(shared.crews, run);
      const signal = joinSignals(destroyed.signal, ...(run.signal === undefined ? [] : [run.signal]));
      // Every loop and every cell listens, which Node would report as a leak.
      setMaxListeners(0, signal);
      shared.gates.forget(shared.clock(), MAX_FLEET_CELLS);
      const running = runCells(shared, cells, createLocalQueue(), run.onProgress, signal);
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

function createShared(options: FleetOptions): FleetShared {
  const { concurrency = 4, perMember = 1, rate, breaker, retry } = options;
  const ports = withSystemPorts(options.ports);
  return {
    crews: createMembers(options.members).map((member) => ({ ...member, places: pLimit(perMember), size: perMember })),
    places: pLimit(concurrency),
    oneAtATime: pLimit(1),
    gates: createGates(structuredClone(defined({ rate: rate?.perTarget, breaker }))),
    retry: structuredClone(retry),
    clock: createSteadyClock(() => ports.now()),
    ports,
  };
}

async function destroyMember({ id, runtime }: Member, ports: Ports): Promise<void> {
  try {
    await runtime.destroy();
  } catch (error) {
    ports.warn(`playhead: destroying the runtime of member ${id} failed: ${toFleetError(error).message}`);
  }
}
