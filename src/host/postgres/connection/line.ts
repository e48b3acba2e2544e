// The line of a host: a dedicated connection. It holds the host's life lock, which PostgreSQL releases when the connection ends, and
// listens for wake-ups. A lost line is opened again.

import { MAX_STORE_WAIT_MS, sleep, within, type Ports } from "../../../core/index.js";
import { FIRST_RECONNECT_MS, LINE_TEST_MS, MAX_CONNECT_MS, MAX_RECONNECT_MS, ROLLBACK_MS } from "../../limits.js";
import { UNKNOWN_NEWS, type CommitNews, type SqlValue } from "../../sql/engine.js";
import { ignoreErrors, noAnswer, releaseLater } from "./connections.js";
import { pgFailed } from "./failure.js";
import { lifeKeys } from "../lists.js";
import { readNews, writeNews } from "../wake-ups.js";
import type { PgClient, PgResult } from "./types.js";

export interface Line {
  /** True while it holds the life lock. */
  isUp(): boolean;
  /** The number of wake-ups by other hosts. */
  heard(): number;
  onWake(listener: (news: CommitNews) => void): void;
  /** Wakes the other hosts. */
  wake(news: CommitNews, query: (text: string, ...values: SqlValue[]) => Promise<PgResult>): Promise<void>;
  close(): Promise<void>;
}

export interface LineTerms {
  readonly dedicated: () => Promise<PgClient>;
  readonly hostId: string;
  readonly schema: string;
  readonly ports: Ports;
}

/** Rejects with `store-failed` if the first connection fails. */
export async function openLine(terms: LineTerms): Promise<Line> {
  const { ports, hostId, schema } = terms;
  const channel = `playhead ${schema}`;
  const listeners = new Set<(news: CommitNews) => void>();
  let current: PgClient | undefined;
  let count = 0;
  let isClosed = false;
  let stopTest: (() => void) | undefined;

  const hear = (news: CommitNews): void => {
    count += 1;
    for (const listener of [...listeners]) listener(news);
  };

  async function connect(): Promise<void> {
    const client = await connectLine(terms, channel, { lost: (ended) => lose(ended), hear });
    if (isClosed) {
      client.release(true);
      return;
    }
    current = client;
    test(client);
  }

  /** Tests the connection at intervals, because a network that drops packets reports nothing. */
  function test(client: PgClient): void {
    stopTest = ports.timer(LINE_TEST_MS, () => {
      within(client.query("SELECT 1"), ROLLBACK_MS, ports).then(
        () => client === current && test(client),
        () => lose(client),
      );
    });
  }

  function lose(client: PgClient): void {
    if (client !== current) return;
    current = undefined;
    stopTest?.();
    client.release(true);
    if (!isClosed) void reconnect();
  }

  async function reconnect(): Promise<void> {
    for (let waitMs = FIRST_RECONNECT_MS; !isClosed; waitMs = Math.min(2 * waitMs, MAX_RECONNECT_MS)) {
      await sleep(waitMs, ports);
      await connect().catch(() => undefined);
      if (current === undefined) continue;
      // A wake-up may have been lost meanwhile.
      hear(UNKNOWN_NEWS);
      return;
    }
  }

  await connect();
  return {
    isUp: () => current !== undefined,
    heard: () => count,
    onWake: (listener) => void listeners.add(listener),
    wake: async (news, query) => {
      await query("SELECT pg_notify($1, $2)", channel, [hostId, ...writeNews(news)].join(" "));
    },
    close: async () => {
      isClosed = true;
      stopTest?.();
      const client = current;
      current = undefined;
      if (client !== undefined) await hangUp(client, ports);
    },
  };
}

/** Frees the lock before it resolves, because the server may notice the end of the connection much later. */
async function hangUp(client: PgClient, ports: Ports): Promise<void> {
  await within(client.query("SELECT pg_advisory_unlock_all()"), ROLLBACK_MS, ports).catch(() => undefined);
  client.release(true);
}

interface Listener {
  readonly lost: (client: PgClient) => void;
  readonly hear: (news: CommitNews) => void;
}

/**
 * Opens a connection that listens and holds the life lock. If the server has not noticed the end of an earlier connection of this host,
 * that one still holds the lock, and this one waits.
 */
async function connectLine(terms: LineTerms, channel: string, { lost, hear }: Listener): Promise<PgClient> {
  const { hostId, schema, ports } = terms;
  const connecting = terms.dedicated();
  const client = await within(connecting, MAX_CONNECT_MS, ports, noAnswer(MAX_CONNECT_MS)).catch((error: unknown) => {
    releaseLater(connecting);
    throw pgFailed(CANNOT_OPEN, error);
  });
  ignoreErrors(client);
  client.on("error", () => lost(client));
  client.on("end", () => lost(client));
  client.on("notification", ({ payload = "" }) => {
    const [sender, ...news] = payload.split(" ");
    if (sender !== hostId) hear(readNews(news));
  });
  const setUp = async (): Promise<void> => {
    // With these settings, the server notices a lost machine after 25 seconds.
    await client.query("SET tcp_keepalives_idle = 10; SET tcp_keepalives_interval = 5; SET tcp_keepalives_count = 3");
    await client.query(`LISTEN "${channel}"`);
    await client.query("SELECT pg_advisory_lock($1::int, $2::int)", [...lifeKeys(schema, hostId)]);
  };
  try {
    await within(setUp(), MAX_STORE_WAIT_MS, ports, noAnswer(MAX_STORE_WAIT_MS));
    return client;
  } catch (error) {
    client.release(true);
    throw pgFailed(CANNOT_OPEN, error);
  }
}

const CANNOT_OPEN = "the connection with the life lock cannot be opened";
