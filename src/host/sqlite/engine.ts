// SQLite as the engine of a durable store. One connection writes, one transaction at a time. The other one reads outside of
// transactions and never sees a partial one. SQLite runs on this thread, but waits for other processes without blocking it.

import { statSync } from "node:fs";
import pLimit from "p-limit";
import { MAX_STORE_WAIT_MS, sleep, storeFailed, within, type Ports } from "../../core/index.js";
import { MAX_BUSY_PAUSE_MS, MAX_WAITING_TRANSACTIONS } from "../limits.js";
import type { HostFinding, Sql, SqlClock, SqlEngine, SqlRow, SqlTransaction, SqlValue } from "../sql/engine.js";
import { driverFailed, storeClosed } from "../sql/failure.js";
import { isBusy, isDiskFailure, type SqliteDatabase, type SqliteStatement, rollBack } from "./driver.js";

export interface SqliteEngineTerms {
  readonly path: string;
  readonly writer: SqliteDatabase;
  readonly reader: SqliteDatabase;
  readonly busyTimeoutMs: number;
  readonly ports: Ports;
  readonly clock: () => SqlClock;
}

export function createSqliteEngine(terms: SqliteEngineTerms): SqlEngine {
  const { path } = terms;
  const writer = createConnection(terms.writer);
  const reader = createConnection(terms.reader);
  const assertKept = guardFile(path);
  const inTurn = pLimit(1);
  let isOpen = true;

  const assertOpen = (): void => {
    if (!isOpen) throw storeClosed(`the store ${path}`);
  };
  const reads: Sql = {
    all: async (text, ...values) => {
      assertOpen();
      return patiently(terms, () => {
        const [own, all] = withClock(text, values, terms.clock);
        return reader.statement(own).all(...all) as SqlRow[];
      });
    },
    now: async () => terms.clock(),
    ...NO_LOCKS,
  };

  return {
    read: (work) => work(reads),
    transaction: async (work) => {
      assertOpen();
      if (inTurn.pendingCount >= MAX_WAITING_TRANSACTIONS) {
        throw storeFailed(
          `${MAX_WAITING_TRANSACTIONS} transactions are waiting for the store ${path}`,
          "Start fewer concurrent calls.",
          { retryable: true },
        );
      }
      return inTurn(async () => {
        assertOpen();
        const result = await transact(terms, writer, work);
        assertKept();
        return result;
      });
    },
    commits: () => (isOpen ? reader.number("PRAGMA data_version") : 0),
    bytes: () => reader.number("PRAGMA page_count") * reader.number("PRAGMA page_size"),
    findings: () => [...findFsync(writer), ...findDamage(reader)],
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      // The running transaction finishes. Waiting ones are refused.
      await inTurn(async () => undefined);
      terms.reader.close();
      checkpoint(terms.writer);
      terms.writer.close();
    },
  };
}

/** Throws once the file is deleted or replaced. SQLite would go on with the deleted file, which no other process can read. */
function guardFile(path: string): () => void {
  const find = () => statSync(path, { bigint: true, throwIfNoEntry: false });
  const first = find();
  // A database in memory has no file.
  if (first === undefined) return () => undefined;
  return () => {
    const found = find();
    if (found !== undefined && found.ino === first.ino && found.dev === first.dev) return;
    throw storeFailed(
      `the store ${path} was ${found === undefined ? "deleted" : "replaced"} while it was open`,
      "Its last writes are lost. Close the host, and open it again. Stop all processes before you replace the file.",
    );
  };
}

const failed = (path: string, error: unknown) =>
  driverFailed(`the store ${path} failed`, error, isBusy(error) || isDiskFailure(error));

/** Tries again while another process locks the file. Rejects with `store-failed` after the time limit. */
async function patiently<T>({ path, busyTimeoutMs, ports }: SqliteEngineTerms, work: () => T): Promise<T> {
  for (let waitedMs = 0; ;) {
    try {
      return work();
    } catch (error) {
      if (!isBusy(error) || waitedMs >= busyTimeoutMs) throw failed(path, error);
    }
    // Two processes that pause equally long would collide again.
    const pauseMs = 1 + Math.floor(Math.random() * MAX_BUSY_PAUSE_MS);
    waitedMs += pauseMs;
    await sleep(pauseMs, ports);
  }
}

async function transact<T>(
  terms: SqliteEngineTerms,
  writer: Connection,
  work: (sql: SqlTransaction) => Promise<T>,
): Promise<T> {
  const { ports } = terms;
  await begin(terms);
  const transaction = openTransaction(terms, writer);
  try {
    const result = await within(work(transaction.sql), MAX_STORE_WAIT_MS, ports, tooLong);
    transaction.commit();
    return result;
  } catch (error) {
    transaction.end();
    rollBack(terms.writer);
    throw error;
  }
}

/** A failed BEGIN may have begun. The connection would keep the lock of the file, and refuse each later transaction. */
async function begin(terms: SqliteEngineTerms): Promise<void> {
  try {
    await patiently(terms, () => terms.writer.exec("BEGIN IMMEDIATE"));
  } catch (error) {
    rollBack(terms.writer);
    throw error;
  }
}

function openTransaction(terms: SqliteEngineTerms, writer: Connection) {
  const { path, clock } = terms;
  let isRunning = true;
  const attempt = <T>(work: () => T): T => {
    if (!isRunning) throw storeClosed("the transaction");
    try {
      return work();
    } catch (error) {
      throw failed(path, error);
    }
  };
  const sql: SqlTransaction = {
    all: async (text, ...values) =>
      attempt(() => {
        const [own, all] = withClock(text, values, clock);
        return writer.statement(own).all(...all) as SqlRow[];
      }),
    run: async (text, ...values) =>
      attempt(() => {
        const [own, all] = withClock(text, values, clock);
        return Number(writer.statement(own).run(...all).changes);
      }),
    now: async () => clock(),
    ...NO_LOCKS,
    tryLock: () => "1",
  };
  const end = (): void => {
    isRunning = false;
  };
  const commit = (): void => {
    attempt(() => terms.writer.exec("COMMIT"));
    end();
  };
  return { sql, commit, end };
}

/** The one writer locks everything. */
const NO_LOCKS: Pick<Sql, "forUpdate" | "lockList" | "lockLaneOf"> = {
  forUpdate: "",
  lockList: async () => false,
  lockLaneOf: async () => undefined,
};

/** Replaces the clock names in a text with parameters. */
function withClock(text: string, values: readonly SqlValue[], clock: () => SqlClock): [string, readonly SqlValue[]] {
  if (!CLOCKS.test(text)) return [text, values];
  const { wallMs, leaseMs } = clock();
  const rest = values.values();
  const all = [...text.matchAll(PARAMETERS)].map(([word]) =>
    word === "?" ? (rest.next().value as SqlValue) : word === "WALL_NOW" ? wallMs : leaseMs,
  );
  return [text.replace(PARAMETERS, "?"), all];
}

const CLOCKS = /\b(WALL|LEASE)_NOW\b/;
const PARAMETERS = /\?|\b(?:WALL|LEASE)_NOW\b/g;

interface Connection {
  statement(text: string): SqliteStatement;
  number(pragma: string): number;
}

/** Prepares each SQL text once. All texts are constants of this package, so there are few. */
function createConnection(database: SqliteDatabase): Connection {
  const statements = new Map<string, SqliteStatement>();
  const statement = (text: string): SqliteStatement => {
    let found = statements.get(text);
    if (found === undefined) statements.set(text, (found = database.prepare(text)));
    return found;
  };
  return {
    statement,
    number: (pragma) => Number(Object.values(statement(pragma).get() as Record<string, number>)[0]),
  };
}

function findFsync(writer: Connection): HostFinding[] {
  // 2 is FULL: https://www.sqlite.org/pragma.html#pragma_synchronous
  if (writer.number("PRAGMA synchronous") >= 2) return [];
  return [{ level: "error", code: "fsync-off", message: "commits are not flushed to the disk" }];
}

function findDamage(reader: Connection): HostFinding[] {
  const rows = reader.statement("PRAGMA quick_check(10)").all() as { quick_check: string }[];
  return rows
    .filter(({ quick_check: found }) => found !== "ok")
    .map(({ quick_check: found }) => ({ level: "error", code: "integrity", message: found }));
}

const tooLong = () =>
  storeFailed(
    `a transaction took longer than ${MAX_STORE_WAIT_MS} ms`,
    "Use only the transaction inside it, and await no other work.",
  );

/** Makes the file complete without its log. The peer closes a file only once its statements are collected, so SQLite does not. */
function checkpoint(writer: SqliteDatabase): void {
  try {
    writer.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  } catch {
    // Another process uses the log, or the file is gone. Nothing that was committed depends on it.
  }
}
