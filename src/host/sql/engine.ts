// The interface between the ports and a database. Each engine implements it. The ports are written once, in SQL that all engines share.

import type { RunStatus } from "../../core/index.js";
import { MAX_NEWS_RUNS } from "../limits.js";

export type SqlValue = string | number | Uint8Array | null;
export type SqlRow = Readonly<Record<string, unknown>>;

/** Times in ms. Leases use a steady clock that cannot be set. Readiness uses the wall clock. An engine may use one clock for both. */
export interface SqlClock {
  readonly leaseMs: number;
  readonly wallMs: number;
}

/** Reads. Each `?` of a text stands for one value. `WALL_NOW` and `LEASE_NOW` stand for the times of {@link SqlClock}. */
export interface Sql {
  all(text: string, ...values: SqlValue[]): Promise<readonly SqlRow[]>;
  now(): Promise<SqlClock>;
  /** Comes after a SELECT whose rows must not change before the transaction ends. Empty outside of transactions, and in an engine with one writer. */
  readonly forUpdate: string;
  /**
   * Locks lists of rows until the transaction ends, including against new rows. A list is the hash of its name, and the key of a row is a
   * list of one. Resolves with true if the transaction did not hold all of them before, so that an earlier read of them may be outdated.
   * Does nothing outside of transactions, and in an engine with one writer.
   */
  lockList(...lists: readonly Uint8Array[]): Promise<boolean>;
  /** {@link Sql.lockList} for the lane of a run, which never changes. Does nothing if there is no such run. */
  lockLaneOf(runHash: Uint8Array): Promise<void>;
  /** The hashes of the runs whose rows the transaction has locked. Undefined where rows need no locks. */
  readonly lockedRuns?: Set<string>;
}

/** Reads and writes of one transaction. */
export interface SqlTransaction extends Sql {
  /** Resolves with the number of rows that changed. */
  run(text: string, ...values: SqlValue[]): Promise<number>;
  /** SQL that locks the list in a column of a row without waiting. False or 0 if another transaction holds it. */
  tryLock(column: string): string;
}

export interface SqlEngine {
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  /** Serialisable. Resolves when the commit is durable. If `work` throws, everything is undone. `work` may run again after a conflict. */
  transaction<T>(work: (sql: SqlTransaction) => Promise<T>): Promise<T>;
  /** A number that changes with the commits of other processes. */
  commits(): number;
  /** Calls `heard` soon after a commit of another process, so that nobody has to wait until `commits` is read. */
  onCommit?(heard: (news: CommitNews) => void): void;
  /** Announces a commit of this host to the others. Absent if `commits` of the others sees it anyway. */
  announce?(news: CommitNews): void;
  /** Size of the data in bytes. */
  bytes(): number | Promise<number>;
  /** Problems with the data or its settings. */
  findings(): readonly HostFinding[] | Promise<readonly HostFinding[]>;
  /** Removes what the engine itself keeps for runs that have ended before a time of the wall clock. */
  prune?(sql: SqlTransaction, before: number): Promise<void>;
  close(): Promise<void>;
}

/** Something that endangers a host's guarantees. */
export interface HostFinding {
  readonly level: "error" | "warning";
  readonly code:
    "fsync-off" | "async-commit" | "no-life-lock" | "expired-leases" | "integrity" | "pool-too-small" | "clock-jump";
  readonly message: string;
}

/** The changes of a transaction, for those who wait for them. */
export interface CommitNote {
  /** New statuses by run id. */
  readonly statuses: Map<string, RunStatus>;
  /** True if a run became due. */
  isDue: boolean;
}

/** The news of commits that other processes get. */
export interface CommitNews {
  /** True if a run may have become due. */
  readonly isDue: boolean;
  /** The hashes of the runs whose status changed. Undefined: it may be any. */
  readonly runs?: ReadonlySet<string>;
}

/** Nothing is known of the commits. */
export const UNKNOWN_NEWS: CommitNews = { isDue: true };

export function joinNews(one: CommitNews, other: CommitNews): CommitNews {
  const isDue = one.isDue || other.isDue;
  // If one of them may be about any run, so are both together.
  if (one.runs === undefined || other.runs === undefined) return { isDue };
  const runs = new Set([...one.runs, ...other.runs]);
  return runs.size > MAX_NEWS_RUNS ? { isDue } : { isDue, runs };
}

export type Write = SqlTransaction & { readonly note: CommitNote };

/** The row that a SELECT finds by its key. If the row is missing, no other transaction can add it before this one ends. */
export async function findByKey(sql: Sql, text: string, key: Uint8Array): Promise<SqlRow | undefined> {
  const find = async () => (await sql.all(`${text}${sql.forUpdate}`, key))[0];
  const row = await find();
  // A row that was added just before the key was locked is visible only to a new statement.
  return row === undefined && (await sql.lockList(key)) ? find() : row;
}

/** Access of a port to the database: with its own transactions, or within the caller's. */
export interface SqlAccess {
  read<T>(work: (sql: Sql) => Promise<T>): Promise<T>;
  write<T>(work: (sql: Write) => Promise<T>): Promise<T>;
}
