// Tokens of rates that all machines share. A token belongs to a target and to the terms of its rate, so jobs with the same rate share it.

import { hashNames } from "../../sql/names.js";
import type { Sql, SqlTransaction } from "../../sql/engine.js";
import type { RateOptions } from "../rate.js";

export interface Tokens {
  /** The list that is locked before tokens are counted. */
  readonly list: Uint8Array;
  /** A condition on `target_hash`, with its values: the target has a token. */
  free(now: number): { readonly text: string; readonly values: readonly (Uint8Array | number)[] };
  take(sql: SqlTransaction, target: Uint8Array, now: number): Promise<void>;
  /** The ms until a token of `target` comes back, or 0 if there is one. */
  waitMs(sql: Sql, target: Uint8Array, now: number): Promise<number>;
  /** The ms until any token comes back. */
  nextMs(sql: Sql, now: number): Promise<number>;
}

export function createTokens({ calls, perMs }: RateOptions): Tokens {
  const list = hashNames("fleet-rate", String(calls), String(perMs));
  const left = (row: Readonly<Record<string, unknown>> | undefined, now: number): number => {
    const first = row?.["first"];
    return first === null || first === undefined ? 0 : Math.max(1, Math.min(perMs, Number(first) + perMs - now));
  };
  return {
    list,
    free: (now) => ({ text: FREE, values: [list, now - perMs, calls] }),
    async take(sql, target, now) {
      await sql.run("DELETE FROM fleet_tokens WHERE rate_hash = ? AND taken_at <= ?", list, now - perMs);
      await sql.run("INSERT INTO fleet_tokens (rate_hash, target_hash, taken_at) VALUES (?, ?, ?)", list, target, now);
    },
    async waitMs(sql, target, now) {
      const [row] = await sql.all(COUNT, list, target, now - perMs);
      return Number(row?.["taken"]) < calls ? 0 : left(row, now);
    },
    nextMs: async (sql, now) => left((await sql.all(NEXT, list, now - perMs))[0], now),
  };
}

const FREE = `AND target_hash NOT IN (SELECT target_hash FROM fleet_tokens WHERE rate_hash = ? AND taken_at > ?
  GROUP BY target_hash HAVING count(*) >= ?)`;
const COUNT = `SELECT count(*) AS taken, min(taken_at) AS first FROM fleet_tokens
  WHERE rate_hash = ? AND target_hash = ? AND taken_at > ?`;
const NEXT = "SELECT min(taken_at) AS first FROM fleet_tokens WHERE rate_hash = ? AND taken_at > ?";
