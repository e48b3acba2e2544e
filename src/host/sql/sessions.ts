// The snapshots of sessions.

import { assertObjects, toHex, type SessionStore } from "../../core/index.js";
import type { Values } from "./codec.js";
import { findByKey, type SqlAccess } from "./engine.js";
import { hashNames, toName } from "./names.js";
import { readColumns } from "./rows.js";

export interface SessionTerms {
  readonly values: Values;
  readonly randomBytes: (length: number) => Uint8Array;
}

/** A version is 16 random bytes, so no version is used twice, even after a deletion. */
export function createSessions(access: SqlAccess, { values, randomBytes }: SessionTerms): Required<SessionStore> {
  const hashOf = (key: string): Uint8Array => hashNames("session", toName("the session key", key));
  return {
    load: async (key) => {
      const hash = hashOf(key);
      const row = await access.read((sql) =>
        findByKey(sql, "SELECT version, state FROM sessions WHERE key_hash = ?", hash),
      );
      if (row === undefined) return null;
      const column = readColumns("sessions", JSON.stringify(key), row);
      return {
        version: column.text("version"),
        state: await values.toValue(`session ${JSON.stringify(key)}`, column.text("state")),
      };
    },
    version: async (key) => {
      const hash = hashOf(key);
      const row = await access.read((sql) => findByKey(sql, "SELECT version FROM sessions WHERE key_hash = ?", hash));
      return row === undefined ? null : readColumns("sessions", JSON.stringify(key), row).text("version");
    },
    commit: async (key, next, options) => {
      assertObjects("commit(key, { state }, { expectedVersion })", next, options);
      const { expectedVersion } = options;
      const hash = hashOf(key);
      const state = await values.toText(`session ${JSON.stringify(key)}`, next.state);
      const version = toHex(randomBytes(16));
      const changed = await access.write(async (sql) => {
        if (expectedVersion !== null) {
          const change = "UPDATE sessions SET version = ?, state = ? WHERE key_hash = ? AND version = ?";
          return sql.run(change, version, state, hash, expectedVersion);
        }
        await sql.lockList(hash);
        return sql.run(
          "INSERT INTO sessions (key_hash, key, version, state) VALUES (?, ?, ?, ?) ON CONFLICT (key_hash) DO NOTHING",
          ...[hash, JSON.stringify(key), version, state],
        );
      });
      return changed === 1 ? { ok: true, version } : { ok: false, reason: "conflict" };
    },
    delete: async (key) => {
      const hash = hashOf(key);
      await access.write(async (sql) => {
        await sql.lockList(hash);
        await sql.run("DELETE FROM sessions WHERE key_hash = ?", hash);
      });
    },
  };
}
