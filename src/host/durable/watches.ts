// Notifies the watchers of a run when its status changes: immediately after a commit of this host, otherwise at the next beat.

import { thrownText, toHex, type Ports, type RunStatus } from "../../core/index.js";
import { STORE_PAGE_ROWS } from "../limits.js";
import { runHashOf } from "../sql/claims.js";
import { joinNews, type CommitNews, type CommitNote, type Sql, type SqlAccess } from "../sql/engine.js";
import { readColumns } from "../sql/rows.js";
import { RUN_STATUSES } from "../sql/schema.js";
import type { Pulse } from "./pulse.js";

export interface Watches {
  watch(runId: string, changed: (status: RunStatus) => void): () => void;
  committed(note: CommitNote): void;
  close(): void;
}

interface Watched {
  readonly runId: string;
  readonly hash: Uint8Array;
  readonly changed: (status: RunStatus) => void;
  last: RunStatus | undefined;
}

export interface WatchTerms {
  readonly ports: Ports;
  readonly pulse: Pulse;
  read: SqlAccess["read"];
}

export function createWatches({ ports, pulse, read }: WatchTerms): Watches {
  const watched = new Set<Watched>();
  let stopListening: (() => void) | undefined;
  let looking: Promise<void> | undefined;
  let unread: CommitNews | undefined;

  function tell(one: Watched, status: RunStatus): void {
    if (one.last === status || !watched.has(one)) return;
    one.last = status;
    try {
      one.changed(status);
    } catch (error) {
      ports.warn(`a watcher of run ${one.runId} threw: ${thrownText(error)}`);
    }
  }

  async function look({ runs }: CommitNews): Promise<void> {
    const all = [...watched].filter(({ hash }) => runs?.has(toHex(hash)) ?? true);
    for (let from = 0; from < all.length; from += STORE_PAGE_ROWS) {
      const page = all.slice(from, from + STORE_PAGE_ROWS);
      const before = page.map(({ last }) => last);
      const statuses = await read((sql) => readStatuses(sql, page));
      for (const [index, one] of page.entries()) {
        const status = statuses.get(toHex(one.hash));
        // A commit of this host in the meantime is newer than the rows that were read.
        if (status !== undefined && one.last === before[index]) tell(one, status);
      }
    }
  }

  /** One look at a time, so that a flood of news does not take all connections. News that comes meanwhile is joined. */
  async function lookOften(): Promise<void> {
    for (let news = unread; news !== undefined; news = unread) {
      unread = undefined;
      await look(news).catch((error: unknown) => ports.warn(`runs cannot be watched: ${thrownText(error)}`));
    }
    looking = undefined;
  }

  return {
    watch(runId, changed) {
      const one: Watched = { runId, hash: runHashOf(runId), changed, last: undefined };
      watched.add(one);
      stopListening ??= pulse.listen((news) => {
        if (news === undefined) return;
        unread = unread === undefined ? news : joinNews(unread, news);
        looking ??= lookOften();
      });
      read((sql) => readStatuses(sql, [one])).then(
        (statuses) => (one.last ??= [...statuses.values()][0]),
        (error: unknown) => ports.warn(`run ${runId} cannot be watched: ${thrownText(error)}`),
      );
      return () => {
        watched.delete(one);
        if (watched.size > 0) return;
        stopListening?.();
        stopListening = undefined;
      };
    },
    committed({ statuses }) {
      if (statuses.size === 0) return;
      for (const one of [...watched]) {
        const status = statuses.get(one.runId);
        if (status !== undefined) tell(one, status);
      }
    },
    close() {
      watched.clear();
      stopListening?.();
    },
  };
}

async function readStatuses(sql: Sql, runs: readonly Watched[]): Promise<Map<string, RunStatus>> {
  // One of two SQL texts, so that each is prepared once.
  const length = runs.length > 1 ? STORE_PAGE_ROWS : 1;
  const hashes = Array.from({ length }, (_, index) => runs[index]?.hash ?? null);
  const marks = hashes.map(() => "?").join(", ");
  const rows = await sql.all(`SELECT run_hash, status FROM runs WHERE run_hash IN (${marks})`, ...hashes);
  return new Map(
    rows.map((row) => {
      const column = readColumns("runs", "watched", row);
      return [toHex(column.bytes("run_hash")), column.word("status", RUN_STATUSES)] as const;
    }),
  );
}
