// Runs the calls of the in-memory store one at a time, each completely or not at all.

import { MAX_STORE_WAIT_MS } from "../../limits.js";
import type { Ports } from "../../ports.js";
import { within } from "../../time/wait.js";
import { Changes, createTables, type Tables } from "./tables.js";
import { storeFailed } from "../../canon/stored-value.js";

/** The parts that the methods of the ports share. */
export interface Desk {
  readonly tables: Tables;
  /** The clock of this store. It never goes back. */
  readonly now: () => number;
  /** Runs `work` as one step. If it throws, all its changes are undone. */
  readonly call: <T>(work: (changes: Changes) => T) => Promise<T>;
}

export interface OpenDesk extends Desk {
  /** Runs all calls that `work` makes on its desk as one step. */
  transaction<T>(work: (desk: Desk) => Promise<T>): Promise<T>;
  close(): void;
}

/** `committed` receives the changes of each step that was kept. */
export function openDesk(ports: Pick<Ports, "now" | "timer">, committed: (changes: Changes) => void): OpenDesk {
  const tables = createTables();
  const waiting: (() => void)[] = [];
  let isTaken = false;
  let isClosed = false;
  let latest = 0;

  const now = () => (latest = Math.max(latest, ports.now()));
  const assertOpen = () => {
    if (isClosed) throw storeFailed("the in-memory execution host is closed", "Create a new one.");
  };
  const take = async (): Promise<void> => {
    const mine = new Promise<void>((resolve) => waiting.push(resolve));
    await within(mine, MAX_STORE_WAIT_MS, ports, busy).catch((error: unknown) => {
      // The turn may come later, and must be passed on.
      void mine.then(give);
      throw error;
    });
  };
  const give = () => {
    const next = waiting.shift();
    if (next === undefined) isTaken = false;
    else next();
  };

  async function exclusively<T>(work: () => T | Promise<T>): Promise<T> {
    if (isTaken) await take();
    isTaken = true;
    try {
      assertOpen();
      return await work();
    } finally {
      give();
    }
  }

  return {
    tables,
    now,
    // A step runs at once unless a transaction is running, so no other call can come between.
    async call(work) {
      if (isTaken) return exclusively(() => step(work, committed));
      assertOpen();
      return step(work, committed);
    },
    async transaction(work) {
      if (isTaken) await take();
      isTaken = true;
      const changes = new Changes();
      const inside = openInside({ tables, now }, changes);
      try {
        assertOpen();
        const result = await within(work(inside.desk), MAX_STORE_WAIT_MS, ports, endless);
        committed(changes);
        return result;
      } catch (error) {
        changes.undo();
        throw error;
      } finally {
        inside.end();
        give();
      }
    },
    close: () => (isClosed = true),
  };
}

/** The desk of one transaction, until it ends. */
function openInside(parts: Pick<Desk, "tables" | "now">, changes: Changes) {
  let isOver = false;
  const desk: Desk = {
    ...parts,
    async call(work) {
      if (isOver) throw storeFailed("the transaction has ended", "Await each call before the transaction ends.");
      return work(changes);
    },
  };
  return { desk, end: () => void (isOver = true) };
}

function step<T>(work: (changes: Changes) => T, committed: (changes: Changes) => void): T {
  const changes = new Changes();
  let result: T;
  try {
    result = work(changes);
  } catch (error) {
    changes.undo();
    throw error;
  }
  committed(changes);
  return result;
}

const busy = () =>
  storeFailed(
    `the store was busy with a transaction for ${MAX_STORE_WAIT_MS} ms`,
    "Inside a transaction, call only the ports that it gives.",
    { retryable: true },
  );

const endless = () =>
  storeFailed(
    `a transaction took longer than ${MAX_STORE_WAIT_MS} ms, so its changes were undone`,
    "Inside a transaction, call only the ports that it gives.",
    { retryable: true },
  );
