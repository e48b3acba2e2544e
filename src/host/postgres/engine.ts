// PostgreSQL as the engine of a durable store, for processes on any number of machines. Only the server's clock decides when leases expire.

import { MAX_STORE_WAIT_MS, storeFailed, within, type Ports } from "../../core/index.js";
import { MAX_WAITING_TRANSACTIONS, POLL_MS } from "../limits.js";
import type { Sql, SqlEngine, SqlValue } from "../sql/engine.js";
import { storeClosed } from "../sql/failure.js";
import { OPEN } from "../sql/schema.js";
import { clockOffset, findProblems } from "./check.js";
import { connectTo, endPool, noAnswer, storeName } from "./connection/connections.js";
import { createNames, createTexts, toPgValues, toSqlRows } from "./dialect.js";
import { pgFailed, runsAgain } from "./connection/failure.js";
import type { Line } from "./connection/line.js";
import { transact } from "./transaction.js";
import { createWakeUps } from "./wake-ups.js";
import { queryPrepared, type PgClient, type PgPool, type PgResult } from "./connection/types.js";

export interface PostgresEngineTerms {
  readonly pool: PgPool;
  readonly schema: string;
  readonly ports: Ports;
  /** Undefined without a dedicated connection. */
  readonly line: Line | undefined;
  /** Closes the pool. Absent if it belongs to the caller. */
  readonly end?: (() => Promise<void>) | undefined;
}

export interface PostgresEngine extends SqlEngine {
  /** Notes the clock of the server, so that later jumps are found. */
  open(): Promise<void>;
  /** One statement outside of transactions, with numbered parameters. */
  readonly query: (text: string, ...values: SqlValue[]) => Promise<PgResult>;
}

export function createPostgresEngine(terms: PostgresEngineTerms): PostgresEngine {
  const { pool, schema, ports, line, end } = terms;
  const name = storeName(schema);
  const toText = createTexts(schema);
  // A pooler of the caller may move transactions between connections, each with other prepared statements.
  const toName = end && createNames();
  const running = new Set<Promise<unknown>>();
  let isOpen = true;
  let openedMs = 0;

  const assertOpen = (): void => {
    if (!isOpen) throw storeClosed(name);
  };
  const ask = async (text: string, ...values: SqlValue[]): Promise<PgResult> => {
    const own = toPgValues(values);
    // A late answer would keep its connection out of the pool. So the driver closes it.
    const statement = toName && { name: toName(text), text, values: own, query_timeout: MAX_STORE_WAIT_MS };
    const once = () => (statement === undefined ? pool.query(text, own) : queryPrepared(pool, statement));
    return askWithin(ports, name, once);
  };
  const query: typeof ask = async (...args) => {
    assertOpen();
    return ask(...args);
  };
  const reads: Sql = {
    all: async (text, ...values) => toSqlRows(await query(toText(text), ...values)),
    now: async () => {
      const ms = Number((await query(`SELECT "${schema}".now_ms() AS now_ms`)).rows[0]?.["now_ms"]);
      return { leaseMs: ms, wallMs: ms };
    },
    forUpdate: "",
    lockList: async () => false,
    lockLaneOf: async () => undefined,
  };
  const connect = (): Promise<PgClient> => connectTo(pool, ports, name);
  const transaction: SqlEngine["transaction"] = async (work) => {
    assertOpen();
    if (running.size >= MAX_WAITING_TRANSACTIONS) throw tooMany(name);
    const whole = transact({ name, schema, ports, toText, toName, connect }, work);
    running.add(whole);
    try {
      return await whole;
    } finally {
      running.delete(whole);
    }
  };
  // Uses `ask`, because the last wake-ups are sent while the engine closes.
  const wakeUps = createWakeUps(ports, async (news) => line?.wake(news, ask));

  return {
    read: (work) => work(reads),
    transaction,
    // A host without a line looks at intervals instead.
    commits: () => line?.heard() ?? Math.floor(performance.now() / POLL_MS),
    onCommit: (heard) => line?.onWake(heard),
    announce: wakeUps.announce,
    bytes: async () => Number((await query(BYTES, `"${schema}"`)).rows[0]?.["bytes"]),
    open: async () => void (openedMs = clockOffset((await reads.now()).wallMs)),
    query,
    findings: () => findProblems({ schema, pool, line, openedMs }, query),
    prune: async (sql, before) => {
      await sql.run(PRUNE_EFFECTS, before);
    },
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      await Promise.allSettled(running);
      await wakeUps.close();
      await endPool(end, ports);
    },
  };
}

/** Asks again with another connection if this one has an old plan. The pool has closed it. */
async function askWithin(ports: Ports, name: string, ask: () => Promise<PgResult>): Promise<PgResult> {
  for (let rerun = 0; ; rerun++) {
    try {
      return await within(ask(), MAX_STORE_WAIT_MS, ports, noAnswer(MAX_STORE_WAIT_MS));
    } catch (error) {
      if (!runsAgain(error, rerun)) throw pgFailed(`${name} failed`, error);
    }
  }
}

const BYTES = `SELECT coalesce(sum(pg_total_relation_size(c.oid)), 0) AS bytes FROM pg_catalog.pg_class AS c
  WHERE c.relkind = 'r' AND c.relnamespace = $1::regnamespace`;
const PRUNE_EFFECTS = `DELETE FROM effects AS old WHERE stored_at < ?
  AND NOT EXISTS (SELECT 1 FROM runs WHERE run_hash = old.run_hash AND ${OPEN})`;

const tooMany = (name: string) =>
  storeFailed(`${MAX_WAITING_TRANSACTIONS} transactions are waiting for ${name}`, "Start fewer concurrent calls.", {
    retryable: true,
  });
