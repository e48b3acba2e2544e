// What became of every request at a door (proxy, server, MSW handlers): one table by method and path, with counts.

import { plural } from "../../core/index.js";
import { MAX_TALLY_KINDS } from "../limits.js";

/** A request by its method and its path, without a query: a query may hold a key. */
export interface DoorRequest {
  readonly method: string;
  readonly path: string;
}

/**
 * What became of a request. `turn` and `exchange` were recorded or answered. `begun` began a conversation on the vendor's server. `lost`
 * is a turn, and `passed-on` another request, that the vendor answered and that could not be recorded. `failed` got an error or no answer.
 * `passed` was named by the option `pass`. `fault` got an injected fault in place of an answer. `probe` was a connection check, which the
 * door answered itself. `tunnel` is an encrypted connection to a host that is not a model vendor.
 */
export type DoorOutcome =
  | "turn"
  | "exchange"
  | "begun"
  | "lost"
  | "passed-on"
  | "refused"
  | "missed"
  | "failed"
  | "passed"
  | "fault"
  | "probe"
  | "tunnel";

export interface DoorEvent extends DoorRequest {
  readonly outcome: DoorOutcome;
  /** Of a refusal. */
  readonly status?: number;
  readonly code?: string;
}

/** A line of the table. `reason` is that of the first request of its kind. */
export type DoorRow = DoorEvent & { readonly count: number; readonly reason?: string };

/** True if a run with such a request has failed. */
export function isFailure({ outcome }: DoorEvent): boolean {
  return outcome === "lost" || outcome === "passed-on" || outcome === "refused" || outcome === "missed";
}

/** One table of requests. */
export interface Tally {
  /** Returns true for the first request of its kind. */
  add(event: DoorEvent, reason?: string): boolean;
  /** In the order of the first requests. */
  rows(): readonly DoorRow[];
}

/** An empty table. Kinds beyond the limit share one row for each outcome. */
export function createTally(): Tally {
  const rows = new Map<string, DoorRow>();
  const count = (event: DoorEvent, reason: string | undefined): boolean => {
    const key = JSON.stringify(event);
    const row = rows.get(key);
    if (row === undefined && rows.size >= MAX_TALLY_KINDS && event.path !== OTHERS) {
      return count({ ...event, method: "*", path: OTHERS }, undefined);
    }
    rows.set(key, { ...event, ...(reason === undefined ? {} : { reason }), ...row, count: (row?.count ?? 0) + 1 });
    return row === undefined;
  };
  return { add: count, rows: () => [...rows.values()] };
}

const OTHERS = "(other paths)";

/** The outcomes in words, of a door that records and of one that replays. */
export type DoorWords = Readonly<Record<DoorOutcome, string>>;

export const RECORDING_WORDS: DoorWords = {
  turn: "recorded",
  exchange: "recorded as an exchange",
  begun: "began a conversation",
  lost: "could not be recorded",
  "passed-on": "passed on, not recorded",
  refused: "not passed on",
  missed: "missed",
  failed: "failed, not recorded",
  passed: "passed on because of --pass",
  fault: "answered with a fault",
  probe: "was a connection check",
  tunnel: "passed through, encrypted",
};

export const REPLAY_WORDS: DoorWords = {
  turn: "answered",
  exchange: "answered from an exchange",
  begun: "began a conversation",
  lost: "lost",
  "passed-on": "passed on",
  refused: "refused",
  missed: "missed",
  failed: "failed",
  passed: "answered with 404 because of --pass",
  fault: "answered with a fault",
  probe: "was a connection check",
  tunnel: "passed through, encrypted",
};

/** "POST /v1/embeddings recorded as an exchange: 2 times" */
export function rowText({ method, path, outcome, status, code, count }: DoorRow, words: DoorWords): string {
  const how = outcome === "refused" && code !== undefined ? ` with ${status} ${code}` : "";
  return `${method} ${path} ${words[outcome]}${how}: ${plural(count, "time")}`;
}
