// Loads the optional peer `bullmq`, and connects it to Redis. Its types here are structural, so the package need not be installed.

import {
  AgentError,
  invalidOptions,
  quoteForeign,
  storeFailed,
  thrownText,
  within,
  type Ports,
} from "../../core/index.js";
import { FIRST_RECONNECT_MS, MAX_CONNECT_MS, MAX_RECONNECT_MS, ROLLBACK_MS } from "../limits.js";

export interface BullJob {
  readonly data: unknown;
  removeDeduplicationKey(): Promise<unknown>;
}

interface BullConnected {
  on(event: "error", listener: (error: Error) => void): unknown;
  waitUntilReady(): Promise<unknown>;
}

export interface BullQueue extends BullConnected {
  close(): Promise<void>;
  disconnect(): Promise<void>;
  add(name: string, data: object, options: object): Promise<unknown>;
  getWaitingCount(): Promise<number>;
}

export interface BullWorker extends BullConnected {
  pause(doNotWaitActive: boolean): Promise<void>;
  close(force: boolean): Promise<void>;
}

export interface BullDriver {
  readonly Queue: new (name: string, options: object) => BullQueue;
  readonly Worker: new (name: string, process: (job: BullJob) => Promise<void>, options: object) => BullWorker;
}

/** The settings of every queue and worker. */
export interface BullSettings {
  readonly connection: object;
  readonly prefix: string;
}

/** The probe writes nothing. */
const PROBE = { skipMetasUpdate: true };

/** BullMQ connects through `ioredis`, unless it is given a client. */
export async function loadBullmq(connection: object): Promise<BullDriver> {
  const loaded = (await load("bullmq")) as BullDriver & { default?: BullDriver };
  if (!isClient(connection)) await load("ioredis");
  return loaded.default ?? loaded;
}

async function load(name: string): Promise<unknown> {
  try {
    return await import(name);
  } catch (error) {
    throw new AgentError("capability-missing", `the package ${name} is not installed`, {
      hint: "Run npm install bullmq ioredis.",
      cause: error,
    });
  }
}

export const isClient = (given: unknown): boolean => typeof (given as { duplicate?: unknown }).duplicate === "function";

/** The connection of one queue or worker, which reconnects until `isOver`. A client of the caller keeps its own options. */
export function connectionOf({ connection }: BullSettings, isOver: () => boolean, isBlocking: boolean): object {
  if (isClient(connection)) return connection;
  const { retryStrategy = waitOf } = connection as { readonly retryStrategy?: (times: number) => unknown };
  return {
    ...connection,
    retryStrategy: (times: number) => (isOver() ? null : retryStrategy(times)),
    // A command that cannot be sent fails at once, and the store sends the run again.
    ...(isBlocking ? {} : { enableOfflineQueue: false }),
  };
}

const waitOf = (times: number): number => Math.min(times * FIRST_RECONNECT_MS, MAX_RECONNECT_MS);

/** Rejects unless Redis answers. */
export async function assertReachable({ Queue }: BullDriver, settings: BullSettings, ports: Ports): Promise<void> {
  let last: unknown;
  let queue: BullQueue;
  try {
    queue = new Queue("probe", { ...settings, connection: connectionOf(settings, () => true, false), ...PROBE });
  } catch (error) {
    throw invalidOptions(`BullMQ refuses the connection: ${quoteForeign(thrownText(error))}`, "Change `connection`.");
  }
  queue.on("error", (error) => (last = error));
  try {
    await within(queue.waitUntilReady(), MAX_CONNECT_MS, ports, () => last ?? new Error("no answer"));
  } catch (error) {
    throw redisFailed(last ?? error);
  } finally {
    await within(queue.close(), ROLLBACK_MS, ports).catch(() => undefined);
  }
}

/** An error that Redis itself answers is not retryable, because it stays until somebody changes something. */
function redisFailed(error: unknown): AgentError {
  const isAnswer = (error as { name?: unknown } | null)?.name === "ReplyError";
  const hint = isAnswer
    ? "Check the user, the password and the version of Redis."
    : "Check the address and the server.";
  const options = { retryable: !isAnswer, cause: error };
  return storeFailed(`Redis cannot be used: ${quoteForeign(thrownText(error))}`, hint, options);
}
