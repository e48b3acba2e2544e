// The execution host in memory: the complete reference implementation of the ports. It lasts until the process ends.

import { invalidOptions } from "../../errors.js";
import { DEFAULT_LEASE_MS, DEFAULT_MAX_ATTEMPTS, MAX_TIMER_MS } from "../../limits.js";
import { assertKnownOptions, isObject } from "../../options.js";
import { portsProblem, withSystemPorts, type Ports } from "../../ports.js";
import { showValue } from "../../text/show.js";
import type { ExecutionHost } from "../ports/execution-host.js";
import { createScheduler, type MemoryScheduler } from "./scheduler.js";
import { createMemoryStore } from "./store.js";

/** The options of {@link createInMemoryExecutionHost}. */
export interface InMemoryHostOptions {
  /** Default "in-process". Tests of code for durable hosts may pass "durable". */
  readonly backgroundSubagents?: "in-process" | "durable";
  /** Called with the id of each run that is ready for a worker, which may call `agent.resume(runId)`. A run may be delivered twice. */
  readonly onResume?: (runId: string) => void;
  /** The length of a lease in ms. Default 300,000. */
  readonly leaseMs?: number;
  /** Number of claims without a checkpoint after which a run is given up. Default 10. */
  readonly maxAttempts?: number;
  readonly ports?: Partial<Ports>;
}

const OPTIONS = ["backgroundSubagents", "onResume", "leaseMs", "maxAttempts", "ports"];

/**
 * Creates an execution host that keeps runs, checkpoints, events and sessions in this process. Returned values are frozen. Throws
 * `AgentError` `invalid-options`.
 */
export function createInMemoryExecutionHost(options: InMemoryHostOptions = {}): Required<ExecutionHost> {
  assertOptions(options);
  const { backgroundSubagents = "in-process", onResume } = options;
  const { leaseMs = DEFAULT_LEASE_MS, maxAttempts = DEFAULT_MAX_ATTEMPTS } = options;
  const ports = withSystemPorts(options.ports);
  let scheduler: MemoryScheduler | undefined = undefined;
  const memory = createMemoryStore(ports, (statuses) => scheduler?.committed(statuses));
  const own = (scheduler = createScheduler(memory, ports, onResume));
  return {
    capabilities: { backgroundSubagents },
    scheduler: { enqueueRun: (...call) => own.enqueueRun(...call), cancelRun: (runId) => own.cancelRun(runId) },
    store: memory.store,
    leaseMs,
    maxAttempts,
    async close() {
      own.close();
      memory.close();
    },
  };
}

function assertOptions(options: unknown): asserts options is InMemoryHostOptions {
  const owner = "createInMemoryExecutionHost";
  if (!isObject(options)) throw invalidOptions(`the options of ${owner} are ${showValue(options)}`, "Pass an object.");
  assertKnownOptions(owner, options, OPTIONS);
  const { backgroundSubagents = "in-process", onResume, leaseMs = 1, maxAttempts = 1, ports } = options;
  const refuse = (name: string, hint: string) =>
    invalidOptions(`${name} of ${owner} is ${showValue(options[name])}`, hint);
  if (backgroundSubagents !== "in-process" && backgroundSubagents !== "durable")
    throw refuse("backgroundSubagents", 'Pass "in-process" or "durable".');
  if (onResume !== undefined && typeof onResume !== "function") throw refuse("onResume", "Pass a function.");
  if (!isCount(leaseMs)) throw refuse("leaseMs", `Pass whole milliseconds from 1 to ${MAX_TIMER_MS}.`);
  if (!isCount(maxAttempts)) throw refuse("maxAttempts", `Pass a whole number from 1 to ${MAX_TIMER_MS}.`);
  const problem = portsProblem(ports);
  if (problem !== "") throw invalidOptions(`${owner}: ${problem}`, "See Ports.");
}

function isCount(value: unknown): boolean {
  return Number.isSafeInteger(value) && (value as number) >= 1 && (value as number) <= MAX_TIMER_MS;
}
