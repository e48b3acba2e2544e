// The tables of the in-memory store, and the changes of a transaction, which can be undone.

import type { JsonValue } from "../../canon/value.js";
import type { SessionEvent } from "../event.js";
import type { RunCheckpoint } from "../ports/checkpoint-store.js";
import type { NotificationRecord } from "../ports/notification-inbox.js";
import type { RunRecord, RunStatus } from "../ports/run-store.js";
import type { StoredSession } from "../ports/session-store.js";

/** Lists of ids are in the order of creation. They are replaced, never changed. Keys of several parts are made by {@link keyOf}. */
export interface Tables {
  readonly sessions: Map<string, StoredSession>;
  readonly runs: Map<string, RunRecord>;
  /** The ids of the runs that have ended, in the order of their ends. */
  readonly ended: Map<string, true>;
  /** Run ids by namespace and dedupe key. */
  readonly dedupeKeys: Map<string, string>;
  /** The newest run id by namespace, parent session and task id. */
  readonly tasks: Map<string, string>;
  /** Open runs by namespace and session. */
  readonly lanes: Map<string, readonly string[]>;
  /** Open runs by namespace and parent session. */
  readonly parentLanes: Map<string, readonly string[]>;
  readonly children: Map<string, readonly string[]>;
  readonly checkpoints: Map<string, { readonly checkpoint: RunCheckpoint; readonly journal: JsonValue[] }>;
  readonly events: Map<string, SessionEvent[]>;
  readonly notifications: Map<string, NotificationRecord>;
  /** Notification ids by namespace and idempotency key. */
  readonly notificationKeys: Map<string, string>;
  readonly notificationRuns: Map<string, string>;
  /** Pending notifications by namespace and session. */
  readonly inboxes: Map<string, readonly string[]>;
  /** Increases with every use and is never reset, so no number is used twice. */
  counter: number;
}

export function createTables(): Tables {
  return {
    sessions: new Map(),
    runs: new Map(),
    ended: new Map(),
    dedupeKeys: new Map(),
    tasks: new Map(),
    lanes: new Map(),
    parentLanes: new Map(),
    children: new Map(),
    checkpoints: new Map(),
    events: new Map(),
    notifications: new Map(),
    notificationKeys: new Map(),
    notificationRuns: new Map(),
    inboxes: new Map(),
    counter: 0,
  };
}

/** One key for several parts. Different lists of parts have different keys. */
export function keyOf(...parts: readonly string[]): string {
  return JSON.stringify(parts);
}

const UNCHANGED: ReadonlyMap<string, RunStatus | undefined> = new Map();

/** The changes of one call or transaction. */
export class Changes {
  readonly #undo: (() => void)[] = [];
  /** Runs whose status may have changed, with their previous status. Undefined: the run is new. */
  statuses: ReadonlyMap<string, RunStatus | undefined> = UNCHANGED;

  put<Key, Value>(table: Map<Key, Value>, key: Key, value: Value): void {
    this.#keep(table, key);
    table.set(key, value);
  }

  remove<Key>(table: Map<Key, unknown>, key: Key): void {
    this.#keep(table, key);
    table.delete(key);
  }

  /** Adds to a list of ids. */
  link(table: Map<string, readonly string[]>, key: string, id: string): void {
    this.put(table, key, [...(table.get(key) ?? []), id]);
  }

  /** Removes from a list of ids. */
  unlink(table: Map<string, readonly string[]>, key: string, id: string): void {
    const rest = (table.get(key) ?? []).filter((other) => other !== id);
    if (rest.length === 0) this.remove(table, key);
    else this.put(table, key, rest);
  }

  extend<Item>(list: Item[], items: readonly Item[]): void {
    const { length } = list;
    this.#undo.push(() => (list.length = length));
    for (const item of items) list.push(item);
  }

  noteStatus(runId: string, before: RunStatus | undefined): void {
    if (!this.statuses.has(runId)) this.statuses = new Map([...this.statuses, [runId, before]]);
  }

  undo(): void {
    for (const step of this.#undo.reverse()) step();
  }

  #keep<Key, Value>(table: Map<Key, Value>, key: Key): void {
    const had = table.has(key);
    const before = table.get(key) as Value;
    this.#undo.push(() => (had ? table.set(key, before) : table.delete(key)));
  }
}
