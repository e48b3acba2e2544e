import { afterAll, expect, it } from "vitest";
import { loadSqlite, type OpenSqlite } from "../../../src/host/sqlite/driver.js";
import { openSqliteFile, type SqliteFileTerms } from "../../../src/host/sqlite/file.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const folder = temporaryFolder();
afterAll(() => folder.remove());

const TERMS: Omit<SqliteFileTerms, "path"> = {
  kind: {
    name: "memory",
    code: "memory-failed",
    applicationId: 0x1234,
    migrations: ["CREATE TABLE facts (fact TEXT)"],
  },
  busyTimeoutMs: 1_000,
  maxFileBytes: 2 ** 20,
};

it("opens a file whose tables another process makes while it is inspected", async () => {
  const open = await loadSqlite();
  const terms = { ...TERMS, path: folder.path("new.db") };
  const empty = open(terms.path);
  empty.exec("PRAGMA journal_mode = WAL");
  let others = 0;
  // The other process commits between two reads of this one.
  const interrupted: OpenSqlite = (path) => {
    const database = open(path);
    return {
      exec: (text) => database.exec(text),
      close: () => database.close(),
      prepare(text) {
        if (text.includes("sqlite_schema") && others++ === 0) {
          empty.exec("BEGIN IMMEDIATE; CREATE TABLE facts (fact TEXT)");
          empty.exec(`PRAGMA application_id = ${TERMS.kind.applicationId}; PRAGMA user_version = 1; COMMIT`);
        }
        return database.prepare(text);
      },
    };
  };
  const opened = await openSqliteFile(interrupted, terms);
  expect(opened.prepare("SELECT count(*) AS count FROM facts").get()).toEqual({ count: 0 });
  expect(others).toBeGreaterThan(1);
  opened.close();
  empty.close();
});
