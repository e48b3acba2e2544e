import { expect, it } from "vitest";
import { createConversations } from "../../../src/host/env/conversations.js";
import type { SqliteDatabase } from "../../../src/host/sqlite/driver.js";

it("names the error of SQLite, and not that of a rollback which SQLite has done itself", () => {
  const full = () => {
    throw new Error("database or disk is full");
  };
  const database = {
    exec(sql: string) {
      if (sql === "ROLLBACK") throw new Error("cannot rollback - no transaction is active");
    },
    prepare: () => ({ get: () => ({ length: 0 }), all: () => [], run: full }),
    close: () => undefined,
  } as unknown as SqliteDatabase;
  const store = createConversations(database, "conversations.db");
  expect(() => store.append("c", 0, [{} as never])).toThrow("database or disk is full");
});
