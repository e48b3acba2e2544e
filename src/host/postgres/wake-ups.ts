// Wake-ups that a host sends to the others. Those of several commits are joined, because each one takes a lock of the whole server.

import { within, type Ports } from "../../core/index.js";
import { MAX_NEWS_RUNS, POLL_MS, ROLLBACK_MS, WAKE_UP_MS } from "../limits.js";
import { joinNews, UNKNOWN_NEWS, type CommitNews } from "../sql/engine.js";

export interface WakeUps {
  /** Sends the news soon. If that fails, everything may have changed for the others, and a later wake-up says so. */
  readonly announce: (news: CommitNews) => void;
  /** Sends what is left, within a time limit. The others find what was not sent when they sweep. */
  close(): Promise<void>;
}

interface Pending {
  readonly news: CommitNews;
  readonly waitMs: number;
  readonly stop: () => void;
}

export function createWakeUps(ports: Ports, send: (news: CommitNews) => Promise<void>): WakeUps {
  const sending = new Set<Promise<void>>();
  let next: Pending | undefined;
  let isClosed = false;

  function announce(news: CommitNews, waitMs: number): void {
    if (isClosed) return;
    const all = next === undefined ? news : joinNews(next.news, news);
    if (next !== undefined && next.waitMs <= waitMs) {
      next = { ...next, news: all };
      return;
    }
    next?.stop();
    next = { news: all, waitMs, stop: ports.timer(waitMs, fire) };
  }

  function fire(): void {
    if (next === undefined) return;
    const { news, stop } = next;
    stop();
    next = undefined;
    const sent = send(news)
      .catch(() => announce(UNKNOWN_NEWS, POLL_MS))
      .finally(() => sending.delete(sent));
    sending.add(sent);
  }

  async function flush(): Promise<void> {
    fire();
    await Promise.all(sending);
    // What failed is sent once more.
    fire();
    await Promise.all(sending);
  }

  return {
    announce: (news) => announce(news, WAKE_UP_MS),
    close: async () => {
      await within(flush(), ROLLBACK_MS, ports).catch(() => undefined);
      isClosed = true;
      next?.stop();
    },
  };
}

export function writeNews({ isDue, runs }: CommitNews): readonly string[] {
  const names = runs === undefined || runs.size > MAX_NEWS_RUNS ? [] : [[...runs].join()];
  return [isDue ? "due" : "kept", ...names];
}

/** An earlier version sends only its host id. */
export function readNews([due, runs]: readonly string[]): CommitNews {
  return { isDue: due !== "kept", ...(runs === undefined ? {} : { runs: new Set(runs.split(",")) }) };
}
