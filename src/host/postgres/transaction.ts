// One transaction. READ COMMITTED with locks: each row that is read is locked, and so is each list. That is strict two-phase locking with
// predicate locks, so the transactions are serialisable. A lock is a statement of its own, because the snapshot of a statement is
// older than the locks for which it waits.

import { MAX_STORE_WAIT_MS, sleep, storeFailed, within, type Ports } from "../../core/index.js";
import { MAX_BUSY_PAUSE_MS, MAX_IDLE_TRANSACTION_MS, MAX_LOCK_WAIT_MS, ROLLBACK_MS } from "../limits.js";
import type { SqlClock, SqlTransaction } from "../sql/engine.js";
import { storeClosed } from "../sql/failure.js";
import { toPgValues, toSqlRows } from "./dialect.js";
import { noAnswer } from "./connection/connections.js";
import { isDisconnected, isStalePlan, isTemporary, pgFailed, runsAgain } from "./connection/failure.js";
import { keyIn, listKey } from "./lists.js";
import { lastOf, queryPrepared, type PgClient, type PgQuery, type PgResult } from "./connection/types.js";

export interface TransactionTerms {
  /** The store, as errors name it. */
  readonly name: string;
  readonly schema: string;
  readonly ports: Ports;
  readonly toText: (text: string) => string;
  /** The name under which a statement is prepared, or undefined if the connections may not keep statements. */
  readonly toName?: ((text: string) => string) | undefined;
  connect(): Promise<PgClient>;
}

type Work<T> = (sql: SqlTransaction, client: PgQuery) => Promise<T>;

/** Runs `work` again after a conflict with another transaction. The time limit covers BEGIN and COMMIT, because a server may fall silent. */
export async function transact<T>(terms: TransactionTerms, work: Work<T>): Promise<T> {
  let longestMs = MAX_BUSY_PAUSE_MS;
  for (let rerun = 0; ; rerun++) {
    const transaction = openTransaction(terms, await terms.connect());
    try {
      const result = await within(transaction.whole(work), MAX_STORE_WAIT_MS, terms.ports, transaction.tooLong);
      transaction.end();
      return result;
    } catch (error) {
      await transaction.undo();
      const failure = transaction.failure();
      if (!runsAgain(failure, rerun))
        throw error === failure && isTemporary(failure) ? pgFailed(`${terms.name} failed`, failure) : error;
      // The connection with the old plan is closed. Waiting would not help.
      if (isStalePlan(failure)) continue;
    }
    // Two transactions that begin again together would conflict again.
    await sleep(Math.random() * longestMs, terms.ports);
    longestMs *= 2;
  }
}

/** Connections whose settings are committed. */
const settled = new WeakSet<PgClient>();

function openTransaction(terms: TransactionTerms, pgClient: PgClient) {
  const { schema, ports } = terms;
  const statements = openStatements(terms.name, pgClient);
  const { query, failure } = statements;
  const ownQuery = (text: string, values: unknown[]) => query(text, values, terms.toName?.(text));
  let clock: SqlClock = { leaseMs: 0, wallMs: 0 };
  let isLate = false;
  // Nobody else changes the settings of our own connections, so they are set once on each.
  const isOwn = terms.toName !== undefined;
  const isSet = settled.has(pgClient);

  const setClock = ({ rows: [row] }: PgResult): void => {
    const ms = Number(row?.["now_ms"]);
    clock = { leaseMs: ms, wallMs: ms };
  };
  const sql: SqlTransaction = {
    all: async (text, ...values) => toSqlRows(await ownQuery(terms.toText(text), toPgValues(values))),
    run: async (text, ...values) => (await ownQuery(terms.toText(text), toPgValues(values))).rowCount ?? 0,
    now: async () => clock,
    forUpdate: " FOR UPDATE",
    ...createLocks(ownQuery, terms.toText, setClock),
  };
  /** Throws the errors of the driver unchanged. */
  const client: PgQuery = {
    query: (text, values) =>
      query(text, values).catch((error: unknown) => {
        throw failure() ?? error;
      }),
  };

  return {
    failure,
    whole: async <T>(work: Work<T>): Promise<T> => {
      setClock(await query(isSet ? shortBeginText(schema) : beginText(schema, !isOwn)));
      const result = await work(sql, client);
      // `work` may have caught the error of a statement. COMMIT would then undo everything without an error.
      const { command } = await query("COMMIT");
      if (command === "ROLLBACK") throw pgFailed(`${terms.name} failed`, new Error("the commit was refused"));
      return result;
    },
    end: () => {
      statements.close();
      if (isOwn) settled.add(pgClient);
      pgClient.release();
    },
    tooLong: () => {
      isLate = true;
      if (statements.isAsking()) return noAnswer(MAX_STORE_WAIT_MS)();
      return storeFailed(
        `a transaction took longer than ${MAX_STORE_WAIT_MS} ms`,
        "Use only the transaction inside it, and await no other work.",
        { retryable: true },
      );
    },
    /** A connection with a statement that may not have ended is closed. The server then undoes the transaction. */
    undo: async () => {
      statements.close();
      const isBroken = isLate || (failure() !== undefined && (isDisconnected(failure()) || isStalePlan(failure())));
      const rollback = isBroken ? Promise.reject(new Error("broken")) : pgClient.query("ROLLBACK");
      await within(rollback, ROLLBACK_MS, ports).then(
        () => pgClient.release(),
        () => pgClient.release(true),
      );
    },
  };
}

type OwnQuery = (text: string, values: unknown[]) => Promise<PgResult>;

/** After a failed statement, PostgreSQL refuses all others. So does this, with the first error. */
function openStatements(name: string, client: PgClient) {
  let isRunning = true;
  let asking = 0;
  let failure: unknown;
  const query = async (text: string, values?: unknown[], prepared?: string): Promise<PgResult> => {
    if (!isRunning) throw storeClosed("the transaction");
    if (failure !== undefined) throw pgFailed(`${name} failed`, failure);
    asking++;
    try {
      if (prepared === undefined || values === undefined) return lastOf(await client.query(text, values));
      return await queryPrepared(client, { name: prepared, text, values });
    } catch (error) {
      failure = error ?? new Error("unknown");
      throw pgFailed(`${name} failed`, failure);
    } finally {
      asking--;
    }
  };
  return { query, failure: () => failure, isAsking: () => asking > 0, close: () => void (isRunning = false) };
}

const LOCK_LANE = `pg_advisory_xact_lock(${keyIn("lane")})`;

/** Each lock sets the clock, because time passes while a transaction waits for it. */
function createLocks(query: OwnQuery, toText: TransactionTerms["toText"], setClock: (result: PgResult) => void) {
  const held = new Set<string>();
  const texts = (keys: readonly string[]) =>
    keys.map((_key, index) => `pg_advisory_xact_lock($${index + 1}::bigint) AS l${index}`).join(", ");
  const locks: Pick<SqlTransaction, "lockList" | "lockLaneOf" | "tryLock" | "lockedRuns"> = {
    lockList: async (...lists) => {
      // Always in the same order, so that no two transactions wait for each other.
      const keys = [...new Set(lists.map(listKey))].filter((key) => !held.has(key)).sort();
      if (keys.length === 0) return false;
      setClock(await query(`SELECT ${texts(keys)}, ${toText("WALL_NOW")} AS now_ms`, keys));
      for (const key of keys) held.add(key);
      return true;
    },
    lockLaneOf: async (runHash) => {
      const values = toPgValues([runHash]);
      const result = await query(
        toText(`SELECT lane, ${LOCK_LANE}, WALL_NOW AS now_ms FROM runs WHERE run_hash = ?`),
        values,
      );
      const [row] = result.rows;
      if (row === undefined) return;
      setClock(result);
      held.add(listKey(row["lane"] as Uint8Array));
    },
    tryLock: (column) => `pg_try_advisory_xact_lock(${keyIn(column)})`,
    lockedRuns: new Set(),
  };
  return locks;
}

const BEGIN = "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE";

const shortBeginText = (schema: string): string => `${BEGIN}; SELECT "${schema}".now_ms() AS now_ms`;

/**
 * SQL that begins a transaction and sets its limits in one message, so that a frozen process does not keep its locks. Unless `isLocal`, the
 * commit keeps the limits for the connection.
 */
export function beginText(schema: string, isLocal = true): string {
  const settings = [
    `set_config('lock_timeout', '${MAX_LOCK_WAIT_MS}', ${isLocal})`,
    `set_config('statement_timeout', '${MAX_STORE_WAIT_MS}', ${isLocal})`,
    `set_config('idle_in_transaction_session_timeout', '${MAX_IDLE_TRANSACTION_MS}', ${isLocal})`,
    `set_config('synchronous_commit', CASE WHEN current_setting('synchronous_commit') IN ('off', 'local') THEN 'on'
       ELSE current_setting('synchronous_commit') END, ${isLocal})`,
  ];
  return `${BEGIN}; SELECT ${settings.join(", ")}, "${schema}".now_ms() AS now_ms`;
}
