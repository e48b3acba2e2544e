// Conversations in one SQLite file, which several processes may share. Each append is one flushed transaction, so an acknowledged entry
// survives a crash. It first counts the entries, so one of two writers at the same length gets a conflict.

import {
  AgentError,
  MAX_CONVERSATION_ENTRIES,
  MAX_ENTRY_CHARACTERS,
  parseBoundedJson,
  thrownText,
  copyJson,
  type ConversationEntry,
  type ConversationRef,
  type ConversationStore,
} from "../../core/index.js";
import { isBusy, rollBack, type SqliteDatabase } from "../sqlite/driver.js";
import type { SqliteKind } from "../sqlite/file.js";

export const CONVERSATIONS: SqliteKind = {
  name: "conversations",
  code: "conversation-failed",
  // "PLHC".
  applicationId: 0x504c4843,
  migrations: [
    "CREATE TABLE entry (id TEXT NOT NULL, place INTEGER NOT NULL, value TEXT NOT NULL, PRIMARY KEY (id, place)) STRICT, WITHOUT ROWID;",
  ],
};

export interface SqliteConversations extends ConversationStore {
  close(): void;
}

/** All values are bound as texts. `CAST` turns them into numbers. */
export function createConversations(database: SqliteDatabase, path: string): SqliteConversations {
  const statements = {
    length: database.prepare("SELECT max(place) + 1 AS length FROM entry WHERE id = ?"),
    read: database.prepare(
      "SELECT value FROM entry WHERE id = ? AND place >= CAST(? AS INTEGER) ORDER BY place LIMIT CAST(? AS INTEGER)",
    ),
    append: database.prepare("INSERT INTO entry VALUES (?, CAST(? AS INTEGER), ?)"),
    ids: database.prepare(
      "SELECT id, value FROM entry WHERE place = 0 AND id > ? ORDER BY id LIMIT CAST(? AS INTEGER)",
    ),
    delete: database.prepare("DELETE FROM entry WHERE id = ?"),
  };
  let isOpen = true;

  function attempt<T>(what: string, work: () => T): T {
    if (!isOpen) throw failure(`the conversations ${path} are closed and cannot ${what}`, "Open the storage again.");
    try {
      return work();
    } catch (error) {
      if (error instanceof AgentError && error.code === "conversation-failed") throw error;
      const message = `the conversations ${path} cannot ${what}: ${thrownText(error)}`;
      throw new AgentError("conversation-failed", message, { retryable: isBusy(error), cause: error });
    }
  }

  function inTransaction<T>(work: () => T): T {
    database.exec("BEGIN IMMEDIATE");
    try {
      const result = work();
      database.exec("COMMIT");
      return result;
    } catch (error) {
      rollBack(database);
      throw error;
    }
  }

  const lengthOf = (id: string): number => (statements.length.get(id) as { length: number | null }).length ?? 0;

  return {
    length: (id) => attempt("count entries", () => lengthOf(toId(id))),
    read: (id, from, limit) =>
      attempt("read entries", () => {
        const rows = statements.read.all(toId(id), String(from), String(limit)) as { value: string }[];
        // Bounded, because others may have edited the file.
        return rows.map(({ value }) => parseBoundedJson(value) as ConversationEntry);
      }),
    append: (id, at, entries) =>
      attempt("append entries", () => {
        const key = toId(id);
        assertRoom(id, at + entries.length);
        const texts = entries.map((entry, index) => toText(id, at + index, entry));
        return inTransaction(() => {
          if (lengthOf(key) !== at) return "conflict";
          for (const [index, text] of texts.entries()) statements.append.run(key, String(at + index), text);
          return "appended";
        });
      }),
    list: (after, limit) =>
      attempt("list conversations", () => {
        const rows = statements.ids.all(toId(after), String(limit)) as { id: string; value: string }[];
        return rows.map(({ id, value }) => toRef(fromId(id), value));
      }),
    delete: (id) => attempt("delete a conversation", () => Number(statements.delete.run(toId(id)).changes) > 0),
    close() {
      if (!isOpen) return;
      isOpen = false;
      database.close();
    },
  };
}

/** Hex of the code units, so that any text is possible and SQLite compares as JavaScript does. */
function toId(id: string): string {
  let hex = "";
  for (let index = 0; index < id.length; index++) hex += id.charCodeAt(index).toString(16).padStart(4, "0");
  return hex;
}

function fromId(hex: string): string {
  const units = hex.match(/.{4}/g) ?? [];
  return units.map((unit) => String.fromCharCode(Number.parseInt(unit, 16))).join("");
}

function toRef(id: string, value: string): ConversationRef {
  const entry = parseBoundedJson(value) as ConversationEntry;
  return entry.kind === "created" ? { id, agent: entry.agent, sender: entry.sender } : { id, agent: "", sender: "" };
}

function assertRoom(id: string, length: number): void {
  if (length <= MAX_CONVERSATION_ENTRIES) return;
  throw failure(
    `conversation ${JSON.stringify(id)} is full: it may have ${MAX_CONVERSATION_ENTRIES} entries`,
    "Begin another conversation.",
  );
}

function toText(id: string, index: number, entry: ConversationEntry): string {
  const text = JSON.stringify(copyJson(entry));
  if (text.length <= MAX_ENTRY_CHARACTERS) return text;
  throw failure(
    `entry ${index} of conversation ${JSON.stringify(id)} has ${text.length} characters`,
    `The limit is ${MAX_ENTRY_CHARACTERS}. Send a shorter message, or return less from the tool.`,
  );
}

function failure(message: string, hint: string): AgentError {
  return new AgentError("conversation-failed", message, { hint });
}
