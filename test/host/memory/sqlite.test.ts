import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { openRunScope } from "../../../src/core/memory/run-memory.js";
import { AgentError } from "../../../src/core/errors.js";
import { MAX_MEMORY_NAME_CHARACTERS, MAX_MEMORY_VALUE_CHARACTERS } from "../../../src/host/limits.js";
import { loadSqlite, type SqliteDatabase } from "../../../src/host/sqlite/driver.js";
import { openSqliteFile } from "../../../src/host/sqlite/file.js";
import { MEMORY, openSqliteMemory } from "../../../src/host/memory/sqlite.js";
import { assertBuilt, compiledModule, repositoryRoot } from "../../support/built.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const folder = temporaryFolder();
afterAll(() => folder.remove());
let files = 0;
const newFile = () => folder.path(`memory-${files++}.db`);

const openPlain = async (path: string): Promise<SqliteDatabase> => (await loadSqlite())(path);
const codeOf = async (work: () => unknown) =>
  Promise.resolve()
    .then(work)
    .then(
      () => "no error",
      (error: unknown) => (error instanceof AgentError ? error.code : error),
    );

/** The arguments of a process that writes to `file`; see test/support/memory-writer.mjs. */
function writer(file: string, scope: string, first: number, count: number): string[] {
  assertBuilt();
  const door = pathToFileURL(compiledModule("host/index.js")).href;
  return [join(repositoryRoot, "test/support/memory-writer.mjs"), door, file, scope, String(first), String(count)];
}

describe("a memory on disk", () => {
  it("PLK-95 keeps what is global and an agent's own for the next process, and what a run shares apart from other runs", async () => {
    const file = newFile();
    const first = await openSqliteMemory(file);
    const before = openRunScope(first, "run-1").viewOf("ann");
    await before.set("global", "k", "of all");
    await before.set("agent", "k", "of ann");
    await before.set("shared", "k", "of run 1");
    expect(await openRunScope(first, "run-1").viewOf("bob").get("shared", "k")).toBe("of run 1");
    first.close();

    const second = await openSqliteMemory(file);
    const after = openRunScope(second, "run-2").viewOf("ann");
    expect(await after.get("global", "k")).toBe("of all");
    expect(await after.get("agent", "k")).toBe("of ann");
    expect(await after.get("shared", "k")).toBeUndefined();
    expect(await openRunScope(second, "run-2").viewOf("bob").get("agent", "k")).toBeUndefined();
    second.close();
  });

  it("makes the folders of its file", async () => {
    const memory = await openSqliteMemory(folder.path("a/b/memory.db"));
    memory.set("s", "k", 1);
    memory.close();
    expect(existsSync(folder.path("a/b/memory.db"))).toBe(true);
  });

  it("keeps values as canonical JSON under names that are JSON texts", async () => {
    const file = newFile();
    const memory = await openSqliteMemory(file);
    memory.set("a\0b", "\ud800", { z: 1, a: [true, undefined as never].slice(0, 1) });
    memory.close();
    const plain = await openPlain(file);
    expect({ ...(plain.prepare("SELECT * FROM memory").get() as object) }).toEqual({
      scope: String.raw`"a\u0000b"`,
      key: String.raw`"\ud800"`,
      value: '{"a":[true],"z":1}',
    });
    plain.close();
  });

  it("writes ahead and flushes every commit", async () => {
    const database = await openSqliteFile(await loadSqlite(), {
      kind: MEMORY,
      path: newFile(),
      busyTimeoutMs: 1_234,
      maxFileBytes: 1_000_000,
    });
    const valueOf = (name: string) => Object.values(database.prepare(`PRAGMA ${name}`).get() as object)[0] as unknown;
    expect(valueOf("journal_mode")).toBe("wal");
    // 2 is FULL: https://www.sqlite.org/pragma.html#pragma_synchronous
    expect(valueOf("synchronous")).toBe(2);
    expect(valueOf("busy_timeout")).toBe(1_234);
    expect(valueOf("max_page_count")).toBe(Math.floor(1_000_000 / 4_096));
    database.close();
  });

  it("closes once and is refused afterwards", async () => {
    const memory = await openSqliteMemory(newFile());
    memory.close();
    memory.close();
    const calls = [
      () => memory.get("s", "k"),
      () => memory.set("s", "k", 1),
      () => memory.delete("s", "k"),
      () => memory.keys("s"),
      () => memory.clear("s"),
    ];
    for (const call of calls) {
      expect(await codeOf(call)).toBe("memory-failed");
      expect(call).toThrow("is closed");
    }
  });
});

describe("the limits of a memory on disk", () => {
  it("are the length of a name and the size of a value, and the old value stays", async () => {
    const memory = await openSqliteMemory(newFile());
    const longest = "n".repeat(MAX_MEMORY_NAME_CHARACTERS);
    memory.set(longest, longest, "old");
    expect(memory.keys(longest)).toEqual([longest]);
    for (const call of [
      () => memory.set(`${longest}n`, "k", 1),
      () => memory.set("s", `${longest}n`, 1),
      () => memory.get("s", `${longest}n`),
      () => memory.keys(`${longest}n`),
      () => memory.set("s", 7 as never, 1),
    ]) {
      expect(await codeOf(call)).toBe("memory-failed");
    }

    const largest = "v".repeat(MAX_MEMORY_VALUE_CHARACTERS - 2);
    memory.set("s", "large", largest);
    expect(memory.get("s", "large")).toBe(largest);
    memory.set("s", "large", "old");
    expect(() => memory.set("s", "large", `${largest}v`)).toThrow("8388609 characters of JSON");
    expect(memory.get("s", "large")).toBe("old");
    memory.close();
  });

  it("are the size of the file: what does not fit is refused, and the rest stays", async () => {
    const memory = await openSqliteMemory(newFile(), { maxFileBytes: 65_536 });
    memory.set("s", "a", "old");
    expect(() => memory.set("s", "a", "x".repeat(100_000))).toThrow(/full/);
    expect(await codeOf(() => memory.set("s", "b", "x".repeat(100_000)))).toBe("memory-failed");
    expect(memory.get("s", "a")).toBe("old");
    expect(memory.keys("s")).toEqual(["a"]);
    memory.close();
  });

  it.each<[string, string, object]>([
    ["an empty path", "", {}],
    [":memory:", ":memory:", {}],
    ["a NUL in the path", "a\0b", {}],
    ["an unknown option", "never.db", { busyTimeout: 1 }],
    ["a fraction", "never.db", { busyTimeoutMs: 1.5 }],
    ["a wait that is too long", "never.db", { busyTimeoutMs: 600_001 }],
    ["a file that is too small", "never.db", { maxFileBytes: 1 }],
  ])("refuse %s as options that can never work", async (_name, path, options) => {
    expect(await codeOf(() => openSqliteMemory(path, options))).toBe("invalid-options");
  });
});

describe("a file that is not a memory", () => {
  it.each([
    ["a long text", "This is no database. ".repeat(500)],
    ["a short text", "short"],
    ["the first half of a header", "SQLite form"],
    ["a header and rubbish", `SQLite format 3\0${"rubbish".repeat(500)}`],
  ])("is refused and left as it is: %s", async (_name, text) => {
    const file = newFile();
    writeFileSync(file, text);
    await expect(openSqliteMemory(file)).rejects.toMatchObject({ code: "memory-failed", cause: expect.anything() });
    expect(readFileSync(file, "utf8")).toBe(text);
    expect(existsSync(`${file}-wal`)).toBe(false);
  });

  it("is refused when it is one of ours whose table is gone", async () => {
    const file = newFile();
    (await openSqliteMemory(file)).close?.();
    const plain = await openPlain(file);
    plain.exec("DROP TABLE memory");
    plain.close();
    await expect(openSqliteMemory(file)).rejects.toMatchObject({ code: "memory-failed", cause: expect.anything() });
  });

  it("is refused when it is a database of something else, which is left as it is", async () => {
    const file = newFile();
    const plain = await openPlain(file);
    plain.exec("CREATE TABLE memory (scope TEXT, key TEXT, value TEXT)");
    plain.close();
    const before = readFileSync(file);
    await expect(openSqliteMemory(file)).rejects.toMatchObject({ code: "memory-failed" });
    await expect(openSqliteMemory(file)).rejects.toThrow("another kind of database");
    expect(readFileSync(file).equals(before)).toBe(true);
  });

  it("is refused when a newer version wrote it, and opens again where that version is known", async () => {
    const file = newFile();
    const memory = await openSqliteMemory(file);
    memory.set("s", "k", 1);
    memory.close();
    const setVersion = async (version: number) => {
      const plain = await openPlain(file);
      plain.exec(`PRAGMA user_version = ${version}`);
      plain.close();
    };
    await setVersion(2);
    const before = readFileSync(file);
    await expect(openSqliteMemory(file)).rejects.toMatchObject({
      code: "memory-failed",
      message: `${file} has schema 2, and this version supports 1`,
    });
    expect(readFileSync(file).equals(before)).toBe(true);
    await setVersion(1);
    const again = await openSqliteMemory(file);
    expect(again.get("s", "k")).toBe(1);
    again.close();
  });

  it("is refused when it is a folder, or cannot be made", async () => {
    mkdirSync(folder.path("folder.db"));
    writeFileSync(folder.path("plain-file"), "");
    expect(await codeOf(() => openSqliteMemory(folder.path("folder.db")))).toBe("memory-failed");
    expect(await codeOf(() => openSqliteMemory(folder.path("plain-file/memory.db")))).toBe("memory-failed");
  });

  it("says of a value that was damaged from outside that it cannot be read, and takes a new one", async () => {
    const file = newFile();
    const memory = await openSqliteMemory(file);
    memory.set("s", "k", 1);
    memory.set("s", "deep", 1);
    const plain = await openPlain(file);
    plain.exec(`UPDATE memory SET value = 'no JSON' WHERE key = '"k"'`);
    plain.prepare(`UPDATE memory SET value = ? WHERE key = '"deep"'`).run("[".repeat(100_000));
    plain.close();
    expect(() => memory.get("s", "k")).toThrow("cannot read a value");
    expect(() => memory.get("s", "deep")).toThrow("nested deeper");
    expect(await codeOf(() => memory.get("s", "k"))).toBe("memory-failed");
    memory.set("s", "k", 2);
    expect(memory.get("s", "k")).toBe(2);
    memory.close();
  });
});

describe("a SQLite that is not there", () => {
  it("is said with what to install", async () => {
    const absent = [async () => undefined, () => Promise.reject(new Error("Cannot find package"))];
    const error = await loadSqlite(absent).catch((reason: unknown) => reason as AgentError);
    expect(error).toMatchObject({
      code: "capability-missing",
      hint: expect.stringContaining("@photostructure/sqlite"),
    });
  });

  it("is looked for in Node first", async () => {
    class Inside {}
    const opened = await loadSqlite([async () => ({ DatabaseSync: Inside }), () => Promise.reject(new Error("asked"))]);
    expect(opened("x")).toBeInstanceOf(Inside);
  });
});

describe("several processes on one file", () => {
  it("wait for each other, and say so when one holds the file for too long", async () => {
    const file = newFile();
    const memory = await openSqliteMemory(file, { busyTimeoutMs: 1 });
    memory.set("s", "k", "old");
    const plain = await openPlain(file);
    plain.exec("BEGIN IMMEDIATE");
    expect(await codeOf(() => memory.set("s", "k", "new"))).toBe("memory-failed");
    expect(() => memory.set("s", "k", "new")).toThrow(expect.objectContaining({ retryable: true }));
    expect(memory.get("s", "k")).toBe("old");
    plain.exec("COMMIT");
    memory.set("s", "k", "new");
    expect(memory.get("s", "k")).toBe("new");
    plain.close();
    memory.close();
  });

  it("may be held up when the file is new", async () => {
    const file = newFile();
    const plain = await openPlain(file);
    plain.exec("BEGIN EXCLUSIVE");
    await expect(openSqliteMemory(file, { busyTimeoutMs: 20 })).rejects.toMatchObject({
      code: "memory-failed",
      retryable: true,
    });
    plain.exec("ROLLBACK");
    plain.close();
    (await openSqliteMemory(file)).close();
  });

  it("lose nothing when four of them make the file and write to it at once", async () => {
    const file = newFile();
    const count = 100;
    const ends = [0, 1, 2, 3].map(async (number) => {
      const child = spawn(process.execPath, writer(file, "s", number * count, count), {
        stdio: ["ignore", "ignore", "pipe"],
      });
      let said = "";
      child.stderr.on("data", (chunk) => (said += String(chunk)));
      const [code] = (await once(child, "close")) as [number];
      return code === 0 ? 0 : said;
    });
    expect(await Promise.all(ends)).toEqual([0, 0, 0, 0]);
    const memory = await openSqliteMemory(file);
    const expected = Array.from({ length: 4 * count }, (_, index) => `k${index}`).sort();
    expect(memory.keys("s")).toEqual(expected);
    memory.close();
  });

  it("lose no write that has returned when they are killed at any point", { timeout: 120_000 }, async () => {
    const file = newFile();
    let first = 0;
    for (let round = 0; round < 10; round++) {
      const child = spawn(process.execPath, writer(file, "s", first, 0), { stdio: ["ignore", "pipe", "inherit"] });
      // The kill lands wherever the writer is by then; only how long it is let run differs from round to round.
      const enough = first + 1 + ((round * 37) % 90);
      let acknowledged = first - 1;
      for await (const line of createInterface({ input: child.stdout })) {
        acknowledged = Number(line);
        if (acknowledged >= enough) child.kill("SIGKILL");
      }
      expect(acknowledged).toBeGreaterThanOrEqual(enough);

      const memory = await openSqliteMemory(file);
      const numbers = new Set((await memory.keys("s")).map((key) => Number(key.slice(1))));
      for (let number = 0; number <= acknowledged; number++) expect(numbers.has(number)).toBe(true);
      // One more write may have been done and not been acknowledged.
      expect(numbers.size - (acknowledged + 1)).toBeLessThanOrEqual(1);
      for (const number of numbers) {
        expect(memory.get("s", `k${number}`)).toEqual({ number, filling: "x".repeat((number * 97) % 5000) });
      }
      first = numbers.size;
      memory.close();
    }
    const plain = await openPlain(file);
    expect(Object.values(plain.prepare("PRAGMA integrity_check").get() as object)).toEqual(["ok"]);
    plain.close();
  });

  it("exits by itself when a memory is left open", () => {
    assertBuilt();
    const door = pathToFileURL(compiledModule("host/index.js")).href;
    const script = `const { openSqliteMemory } = await import(${JSON.stringify(door)});
      (await openSqliteMemory(${JSON.stringify(newFile())})).set("s", "k", 1);`;
    const result = spawnSync(process.execPath, ["--input-type=module", "-e", script], {
      encoding: "utf8",
      timeout: 20_000,
    });
    expect(result.status).toBe(0);
  });
});
