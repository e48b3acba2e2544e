// The five ports over one engine. Each call is its own transaction or part of the caller's.

import pLimit from "p-limit";
import type { ExecutionStore, ExecutionStorePorts, RunStatus, RunStore } from "../../core/index.js";
import { createCheckpoints } from "./checkpoints.js";
import type { RunTerms } from "./claims.js";
import type { CommitNote, SqlAccess, SqlEngine, Write } from "./engine.js";
import { createEvents } from "./events.js";
import { storeClosed } from "./failure.js";
import { createInbox } from "./inbox.js";
import { createRuns } from "./runs.js";
import { createSessions, type SessionTerms } from "./sessions.js";

export interface StoreTerms extends RunTerms, SessionTerms {
  readonly engine: SqlEngine;
  readonly watch: (runId: string, changed: (status: RunStatus) => void) => () => void;
  /** Called after each commit. */
  readonly committed: (note: CommitNote) => void;
}

export interface SqlStore extends ExecutionStore {
  readonly runs: Required<RunStore>;
  /** Reads and writes for the host itself. */
  readonly access: SqlAccess;
  /** {@link ExecutionStore.transaction} that also reaches the tables. */
  transactionWith<T>(work: (tx: ExecutionStorePorts, sql: Write) => Promise<T>): Promise<T>;
}

export function createStore(terms: StoreTerms): SqlStore {
  const { engine, committed, watch } = terms;

  async function commit<T>(work: (sql: Write) => Promise<T>): Promise<T> {
    let note: CommitNote | undefined;
    const result = await engine.transaction((sql) => {
      note = { statuses: new Map(), isDue: false };
      return work({ ...sql, note });
    });
    if (note !== undefined) committed(note);
    return result;
  }

  const transactionWith: SqlStore["transactionWith"] = (work) =>
    commit(async (sql) => {
      const own = joinTransaction(sql);
      try {
        return await work(createPorts(own.access, terms), sql);
      } finally {
        own.end();
      }
    });

  const access: SqlAccess = { read: (work) => engine.read(work), write: commit };
  const ports = createPorts(access, terms);
  return {
    ...ports,
    runs: { ...ports.runs, watch },
    access,
    transactionWith,
    transaction: (work) => transactionWith((tx) => work(tx)),
  };
}

function createPorts(access: SqlAccess, terms: RunTerms & SessionTerms): ExecutionStorePorts {
  return {
    sessions: createSessions(access, terms),
    runs: createRuns(access, terms),
    checkpoints: createCheckpoints(access, terms.values),
    events: createEvents(access, terms.values),
    notifications: createInbox(access, terms.values),
  };
}

/** The calls of one transaction run one after another, so no call sees half of another. */
function joinTransaction(sql: Write): { readonly access: SqlAccess; end(): void } {
  const inTurn = pLimit(1);
  let isOpen = true;
  const join = <T>(work: (sql: Write) => Promise<T>): Promise<T> =>
    inTurn(() => {
      if (!isOpen) throw storeClosed("the transaction");
      return work(sql);
    });
  return { access: { read: join, write: join }, end: () => (isOpen = false) };
}
