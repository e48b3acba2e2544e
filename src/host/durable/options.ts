// The options of a durable host and of its workers, checked once and copied.

import {
  DEFAULT_LEASE_MS,
  DEFAULT_MAX_ATTEMPTS,
  assertKnownOptions,
  invalidOptions,
  isStoreId,
  isThenable,
  portsProblem,
  showValue,
  withSystemPorts,
  type Delivery,
  type Ports,
  type RunKind,
} from "../../core/index.js";
import { assertCount } from "../integer-option.js";
import {
  DEFAULT_SWEEP_MS,
  DEFAULT_WORK_CONCURRENCY,
  MAX_HOST_ATTEMPTS,
  MAX_HOST_LEASE_MS,
  MAX_SWEEP_MS,
  MAX_WORK_CONCURRENCY,
  MAX_WORK_NAMESPACES,
  MIN_HOST_LEASE_MS,
  REAP_MS,
} from "../limits.js";
import type { ValueCodec } from "../sql/codec.js";
import type { DeliveryQueue } from "./queue.js";

/** The options of every durable host. An invalid option is `AgentError` `invalid-options`. */
export interface DurableHostOptions {
  /** How long a claim of a run lasts without a renewal, in ms. 1,000 to 3,600,000, default 300,000. It ends early if the process dies. */
  readonly leaseMs?: number;
  /** Time in ms between two searches for missed runs. 1,000 to 30,000, default 5,000. */
  readonly sweepMs?: number;
  /** Number of claims without a checkpoint after which a run is given up. 1 to 1,000, default 10. */
  readonly maxAttempts?: number;
  /** Transforms stored values, for example to encrypt them. Ids and keys stay readable. */
  readonly codec?: ValueCodec;
  /** If `now` is set, leases use that clock too. */
  readonly ports?: Partial<Ports>;
}

export const DURABLE_OPTIONS = ["leaseMs", "sweepMs", "maxAttempts", "codec", "ports"];

export interface CheckedHostOptions {
  readonly leaseMs: number;
  readonly sweepMs: number;
  readonly maxAttempts: number;
  readonly codec: ValueCodec | undefined;
  readonly ports: Ports;
}

export function checkHostOptions(options: DurableHostOptions): CheckedHostOptions {
  const { leaseMs = DEFAULT_LEASE_MS, sweepMs = DEFAULT_SWEEP_MS, maxAttempts = DEFAULT_MAX_ATTEMPTS, codec } = options;
  assertCount("leaseMs", leaseMs, MIN_HOST_LEASE_MS, MAX_HOST_LEASE_MS);
  assertCount("sweepMs", sweepMs, REAP_MS, MAX_SWEEP_MS);
  assertCount("maxAttempts", maxAttempts, 1, MAX_HOST_ATTEMPTS);
  if (codec !== undefined) assertCodec(codec);
  const problem = portsProblem(options.ports);
  if (problem !== "") throw invalidOptions(problem, "Pass functions.");
  return { leaseMs, sweepMs, maxAttempts, codec, ports: withSystemPorts(options.ports) };
}

/** The context of a delivery. */
export interface DeliveryContext {
  /** Fires when the worker stops. Suspend the run then. */
  readonly signal: AbortSignal;
  readonly kind: RunKind;
  readonly sessionKey: string;
  readonly ownerNamespace: string;
}

/** The options of `work`. */
export interface WorkOptions {
  /** Namespaces of the agents, 1 to 100. Other workers execute the runs of other namespaces. */
  readonly namespaces: readonly string[];
  /** Maximum number of concurrent deliveries. 1 to 1,000, default 16. */
  readonly concurrency?: number;
  /** Executes a run. If it throws, the delivery counts as failed and is retried. */
  deliver(runId: string, context: DeliveryContext): Promise<Delivery>;
  /** Called after each delivery. `ms` is how long it took. */
  onDelivery?(delivery: { readonly runId: string; readonly outcome: Delivery; readonly ms: number }): void;
  /** Passes due runs between the workers, such as a `bullmqScheduler`. Without it, each worker takes them from the store. */
  readonly queue?: DeliveryQueue;
}

export interface CheckedWork {
  readonly namespaces: readonly string[];
  readonly concurrency: number;
  /** The given options, for their functions. */
  readonly options: Pick<WorkOptions, "deliver" | "onDelivery" | "queue">;
}

export function checkWork(options: WorkOptions): CheckedWork {
  assertKnownOptions("work", options, ["namespaces", "concurrency", "deliver", "onDelivery", "queue"]);
  const { concurrency = DEFAULT_WORK_CONCURRENCY } = options;
  assertCount("concurrency", concurrency, 1, MAX_WORK_CONCURRENCY);
  if (typeof options.deliver !== "function") throw invalidOptions("deliver is not a function", "Pass a function.");
  if (!["function", "undefined"].includes(typeof options.onDelivery)) {
    throw invalidOptions("onDelivery is not a function", "Pass a function, or omit it.");
  }
  assertQueue(options.queue);
  return { namespaces: toNamespaces(options.namespaces), concurrency, options };
}

function assertQueue(queue: unknown): void {
  const { open } = (queue ?? {}) as Partial<DeliveryQueue>;
  if (queue === undefined || typeof open === "function") return;
  const hint = isThenable(queue) ? "Await bullmqScheduler." : "Pass the result of bullmqScheduler, or omit it.";
  throw invalidOptions(`queue is ${showValue(queue)}, not a delivery queue`, hint);
}

function toNamespaces(given: unknown): readonly string[] {
  const list: readonly unknown[] = Array.isArray(given) ? given : [];
  if (list.length >= 1 && list.length <= MAX_WORK_NAMESPACES && list.every(isStoreId)) return [...list];
  throw invalidOptions(
    "namespaces is not a valid list",
    `Pass a list of 1 to ${MAX_WORK_NAMESPACES} strings: the namespaces of the agents.`,
  );
}

function assertCodec(codec: ValueCodec): void {
  const id = (codec as ValueCodec | null)?.id;
  const isId = typeof id === "string" && id !== "";
  if (isId && typeof codec.encode === "function" && typeof codec.decode === "function") return;
  throw invalidOptions(
    "codec is not a valid codec",
    "Pass an object with a string `id` and the functions `encode` and `decode`.",
  );
}
