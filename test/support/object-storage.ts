// The storage of a Durable Object, as far as a host needs it, and an execution host that keeps everything there: it holds nothing
// between two calls.

import { createMemoryStore, type MemoryStore } from "../../src/core/session/memory-host/store.js";
import type { Tables } from "../../src/core/session/memory-host/tables.js";
import type {
  ExecutionHost,
  ExecutionStore,
  ExecutionStorePorts,
} from "../../src/core/session/ports/execution-host.js";
import type { StoredSessionEvent } from "../../src/core/session/ports/event-store.js";
import type { Ports } from "../../src/core/ports.js";

/** `ctx.storage`: rows by key that survive the object. Values are copied as by `structuredClone`. */
export class ObjectStorage {
  #rows = new Map<string, unknown>();
  #last: Promise<unknown> = Promise.resolve();

  list(): Map<string, unknown> {
    return structuredClone(this.#rows);
  }

  put(key: string, value: unknown): void {
    this.#rows.set(key, structuredClone(value));
  }

  delete(key: string): void {
    this.#rows.delete(key);
  }

  /** One after the other. A throw leaves the rows as they were. */
  transaction<T>(work: () => Promise<T>): Promise<T> {
    const done = this.#last.then(async () => {
      const before = new Map(this.#rows);
      try {
        return await work();
      } catch (error) {
        this.#rows = before;
        throw error;
      }
    });
    this.#last = done.catch(() => undefined);
    return done;
  }
}

const PORTS = ["sessions", "runs", "checkpoints", "events", "notifications"] as const;

/** Maps the contract of an execution store to rows of `storage`. The alarms are rows too. */
export function objectHost(storage: ObjectStorage, ports: Ports): ExecutionHost {
  const call = <T>(work: (memory: MemoryStore) => Promise<T>): Promise<T> =>
    storage.transaction(async () => {
      const memory = createMemoryStore(ports, () => undefined);
      const before = storage.list();
      load(memory.tables, before);
      const result = await work(memory);
      save(memory.tables, before, storage);
      return result;
    });
  const store = { transaction: (work) => call((memory) => memory.store.transaction(work)) } as ExecutionStore;
  const { store: shape } = createMemoryStore(ports, () => undefined);
  for (const name of PORTS) {
    const methods = Object.keys(shape[name]).filter((method) => method !== "watch");
    const made = methods.map((method) => [
      method,
      (...args: never[]) => call((memory) => methodOf(memory.store, name, method)(...args)),
    ]);
    Object.assign(store, { [name]: Object.fromEntries(made) as object });
  }
  const read: ExecutionStore["events"]["read"] = async function* (...args) {
    yield* await call(async ({ store: own }) => {
      const events: StoredSessionEvent[] = [];
      for await (const event of own.events.read(...args)) events.push(event);
      return events;
    });
  };
  return {
    capabilities: {},
    store: Object.assign(store, { events: { ...store.events, read } }),
    scheduler: {
      enqueueRun: async (runId) => storage.put(`alarm ${runId}`, true),
      cancelRun: async (runId) => storage.delete(`alarm ${runId}`),
    },
  };
}

function methodOf(store: ExecutionStorePorts, name: keyof ExecutionStorePorts, method: string) {
  return (store[name] as unknown as Record<string, (...args: never[]) => Promise<unknown>>)[method] as never as (
    ...args: never[]
  ) => Promise<never>;
}

/** Of the rows, only those of tables have it. */
const SEPARATOR = "/";

function load(tables: Tables, rows: ReadonlyMap<string, unknown>): void {
  tables.counter = (rows.get("counter") as number | undefined) ?? 0;
  for (const [row, value] of rows) {
    const end = row.indexOf(SEPARATOR);
    if (end !== -1) (tables[row.slice(0, end) as "sessions"] as Map<string, unknown>).set(row.slice(end + 1), value);
  }
}

function save({ counter, ...tables }: Tables, before: ReadonlyMap<string, unknown>, storage: ObjectStorage): void {
  storage.put("counter", counter);
  const kept = new Set<string>();
  for (const [table, rows] of Object.entries(tables) as [string, Map<string, unknown>][])
    for (const [key, value] of rows) {
      const row = `${table}${SEPARATOR}${key}`;
      kept.add(row);
      storage.put(row, value);
    }
  for (const row of before.keys()) if (row.includes(SEPARATOR) && !kept.has(row)) storage.delete(row);
}
