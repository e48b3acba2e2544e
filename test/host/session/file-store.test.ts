// Sessions in a folder: held to the contract, written by several processes at once, and killed at every operation.

import { spawn } from "node:child_process";
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { afterAll, describe, expect, it } from "vitest";
import { sha256Hex } from "../../../src/core/canon/digest.js";
import { sessionStoreConformance } from "../../../src/harness/conformance/session-store/suite.js";
import { memoryFiles, type MemoryFiles } from "../../../src/harness/doubles/files.js";
import { FileSessionStore } from "../../../src/host/session/file-store.js";
import type { VersionFiles } from "../../../src/host/session/versions.js";
import { assertBuilt, compiledModule, repositoryRoot } from "../../support/built.js";
import { refusal, rejection } from "../../support/refusal.js";
import { temporaryFolder } from "../../support/temporary-folder.js";

const folder = temporaryFolder();
afterAll(() => folder.remove());
let opened = 0;
const newFolder = () => folder.path(`sessions-${opened++}`);

/** Files in memory that can be renamed. */
function memoryVersions(): MemoryFiles & VersionFiles {
  const files = memoryFiles();
  return {
    ...files,
    rename: async (path, name) => {
      const text = files.texts.get(path);
      if (text === undefined) return { kind: "not-found" };
      files.texts.delete(path);
      files.texts.set(join(path, "..", name), text);
      return { kind: "renamed" };
    },
  };
}

describe("PSS-59 PSS-60 PSS-62 PSS-63 PSS-64 PSS-66 PSS-112 the sessions in a folder", () => {
  // Each commit flushes the disk.
  const options = { patienceMs: 30_000 };
  for (const { name, run } of sessionStoreConformance(() => new FileSessionStore(newFolder()), options)) it(name, run);
});

const filesOf = (root: string, key: string) => readdirSync(join(root, sha256Hex(key))).sort();
const VERSION = /^v(\d+)-(?:[0-9a-f]{12}|none)\.(head|json)$/;
/** The names with the tokens left out. */
const shapeOf = (names: readonly string[]) => names.map((name) => name.replace(VERSION, "v$1.$2"));
const stateFile = (root: string, key: string) => {
  const name = filesOf(root, key).find((candidate) => /^v.*\.json$/.test(candidate));
  return join(root, sha256Hex(key), name ?? "none");
};

describe("the folder of a session", () => {
  it("PSS-56 PSS-69 has the snapshot for its owner alone, and nothing else of the session", async () => {
    const root = newFolder();
    const store = new FileSessionStore(root);
    let version: string | null = null;
    for (const state of ["first", "second", { schemaVersion: 1 }]) {
      const end = await store.commit("tenant:1/ticket:2", { state }, { expectedVersion: version });
      version = end.ok ? end.version : "";
    }
    expect(shapeOf(filesOf(root, "tenant:1/ticket:2"))).toEqual(["first.json", "v3.head", "v3.json"]);
    const path = stateFile(root, "tenant:1/ticket:2");
    expect(JSON.parse(readFileSync(path, "utf8"))).toEqual({ key: "tenant:1/ticket:2", state: { schemaVersion: 1 } });
    if (process.platform === "win32") return;
    for (const name of filesOf(root, "tenant:1/ticket:2"))
      expect(statSync(join(root, sha256Hex("tenant:1/ticket:2"), name)).mode & 0o777).toBe(0o600);
  });

  it("keeps the count of a deleted session, without its state", async () => {
    const root = newFolder();
    const store = new FileSessionStore(root);
    await store.commit("s", { state: "secret" }, { expectedVersion: null });
    await store.delete("s");
    expect(filesOf(root, "s")).toEqual(["first.json", "v2-none.head"]);
    expect(readFileSync(join(root, sha256Hex("s"), "first.json"), "utf8")).not.toContain("secret");
    expect(await store.commit("s", { state: 1 }, { expectedVersion: null })).toEqual({ ok: true, version: "3" });
  });

  it("is read with other files in it", async () => {
    const root = newFolder();
    const store = new FileSessionStore(root);
    await store.commit("s", { state: 1 }, { expectedVersion: null });
    for (const name of ["v9-a1.head.tmp", "v09-a1.head", "note.txt", "v-1-a1.head", "v0-a1.head", "v2-a1.json"])
      writeFileSync(join(root, sha256Hex("s"), name), "no JSON");
    expect(await store.load("s")).toEqual({ state: 1, version: "1" });
  });

  it.each([
    ["an empty file", ""],
    ["no JSON", "{"],
    ["another shape", "[]"],
    ["no state", '{"key":"s"}'],
    ["bytes that are not UTF-8", Buffer.from([0x7b, 0xff])],
    ["nesting without end", "[".repeat(100_000)],
    ["no file of the state", undefined],
  ])("with %s in it is reported, and not taken for a new session", async (_what, text) => {
    const root = newFolder();
    const store = new FileSessionStore(root);
    await store.commit("s", { state: 1 }, { expectedVersion: null });
    if (text === undefined) rmSync(stateFile(root, "s"));
    else writeFileSync(stateFile(root, "s"), text);
    await expectDamaged(store, /v1-[0-9a-f]{12}\.json$/);
  });

  it.each([
    ["a damaged first.json", "first.json", "{"],
    ["a first.json without a token", "first.json", '{"token":5}'],
    ["a first.json that names a path", "first.json", '{"token":"../a1"}'],
    ["no head", "first.json", '{"token":"a1"}'],
  ])("with %s is reported, and not taken for a new session", async (_what, name, text) => {
    const root = newFolder();
    mkdirSync(join(root, sha256Hex("s")), { recursive: true });
    writeFileSync(join(root, sha256Hex("s"), name), text);
    await expectDamaged(new FileSessionStore(root), /first\.json$/);
  });

  async function expectDamaged(store: FileSessionStore, path: RegExp): Promise<void> {
    const commit = () => store.commit("s", { state: 1 }, { expectedVersion: null });
    for (const call of [() => store.load("s"), commit, () => store.delete("s"), () => store.version("s")]) {
      const error = (await rejection(call())) as Error;
      expect(error).toMatchObject({ code: "store-failed", retryable: false });
      expect(/^the session file (.*) is damaged: /.exec(error.message)?.[1]).toMatch(path);
    }
  }

  it("that cannot be listed is reported, and not taken for a new session", async () => {
    const files = memoryVersions();
    await new FileSessionStore("/s", files).commit("s", { state: 1 }, { expectedVersion: null });
    files.fail("read", { kind: "failed", message: "EMFILE: too many open files" });
    const error = await rejection(new FileSessionStore("/s", { ...files, list: async () => undefined }).load("s"));
    expect(error).toMatchObject({ code: "store-failed", retryable: true });
    expect((error as Error).message).toMatch(/^cannot read \/s\/[0-9a-f]{64}\/first\.json: EMFILE/);
  });

  it("that cannot be written is reported with its path, and may be tried again", async () => {
    const files = memoryVersions();
    files.fail("write", { kind: "failed", message: "ENOSPC: no space left" });
    const error = await rejection(
      new FileSessionStore("/s", files).commit("s", { state: 1 }, { expectedVersion: null }),
    );
    expect(error).toMatchObject({ code: "store-failed", retryable: true });
    expect((error as Error).message).toMatch(/^cannot write \/s\/[0-9a-f]{64}\/v0-[0-9a-f]{12}\.head: ENOSPC/);
  });

  it.each(["", "a\0b", undefined, 5])("cannot be below %j", (path) => {
    expect(refusal(() => new FileSessionStore(path as string))).toMatchObject({
      code: "invalid-options",
      hint: "Pass the path of a folder.",
    });
  });
});

type Step = <T>(work: () => Promise<T>) => Promise<T>;

/** Files whose every operation goes through `step`. */
function stepped(files: VersionFiles, step: Step): VersionFiles {
  return {
    read: (...call) => step(() => files.read(...call)),
    write: (...call) => step(() => files.write(...call)),
    append: (...call) => step(() => files.append(...call)),
    remove: (...call) => step(() => files.remove(...call)),
    list: (...call) => step(() => files.list(...call)),
    rename: (...call) => step(() => files.rename(...call)),
  };
}

/** Does `work` before or after operation number `at`. It ends the process if it never resolves. */
function interruptedAt(files: VersionFiles, at: number, when: "before" | "after", work: () => Promise<void>) {
  let count = 0;
  return stepped(files, async (operate) => {
    count += 1;
    const isNow = count === at;
    if (isNow && when === "before") await work();
    const result = await operate();
    if (isNow && when === "after") await work();
    return result;
  });
}

/** Lets everything run that does not wait for a killed process. */
const settle = async () => {
  for (let turn = 0; turn < 100; turn++) await Promise.resolve();
};

const OPERATIONS = 16;
const interruptions = (["before", "after"] as const).flatMap((when) =>
  Array.from({ length: OPERATIONS }, (_, index) => ({ when, at: index + 1 })),
);

/** What a session has been through. */
const PASTS: [string, (store: FileSessionStore) => Promise<unknown>][] = [
  ["a new session", async () => undefined],
  ["a stored session", (store) => store.commit("s", { state: "old" }, { expectedVersion: null })],
  [
    "a deleted session",
    async (store) => {
      await store.commit("s", { state: 1 }, { expectedVersion: null });
      await store.delete("s");
    },
  ],
];

const CALLS: [string, (store: FileSessionStore, version: string | null) => Promise<unknown>, unknown][] = [
  ["a commit", (store, version) => store.commit("s", { state: "new" }, { expectedVersion: version }), "new"],
  ["a delete", (store) => store.delete("s"), undefined],
];

const cases = PASTS.flatMap(([past, begin]) =>
  CALLS.map(([name, call, next]) => ({ past, begin, name, call, next })),
).filter(({ past, name }) => name === "a commit" || past === "a stored session");

describe("a process that is killed at any operation on files", () => {
  it.each(cases)("in $name to $past leaves the old state or the new one", async ({ begin, call, next }) => {
    const seen = new Set<unknown>();
    for (const { when, at } of interruptions) {
      const files = memoryVersions();
      const store = new FileSessionStore("/s", files);
      await begin(store);
      const old = await store.load("s");
      const killed = interruptedAt(files, at, when, () => new Promise(() => undefined));
      void call(new FileSessionStore("/s", killed), old?.version ?? null);
      await settle();
      const stored = await store.load("s");
      seen.add(stored?.state);
      expect([old?.state, next]).toContain(stored?.state);
      const end = await store.commit("s", { state: "later" }, { expectedVersion: stored?.version ?? null });
      expect(end.ok).toBe(true);
      expect((await store.load("s"))?.state).toBe("later");
      expect([...files.texts.keys()]).toHaveLength(3);
    }
    expect(seen.size).toBe(2);
  });
});

describe("a process that stands still at any operation on files", () => {
  it.each(cases)("in $name to $past knows whether it was kept", async ({ name, begin, call }) => {
    const ends = new Set<unknown>();
    for (const { when, at } of interruptions) {
      for (const commits of [1, 2, 600]) {
        if (commits === 600 && at % 3 !== 0) continue;
        const files = memoryVersions();
        const other = new FileSessionStore("/s", files);
        await begin(other);
        const old = await other.load("s");
        const seen: unknown[] = [];
        const meanwhile = async () => {
          for (let left = commits; left > 0; left--) {
            const stored = await other.load("s");
            seen.push(stored?.state);
            await other.commit("s", { state: `other ${left}` }, { expectedVersion: stored?.version ?? null });
          }
        };
        const late = new FileSessionStore("/s", interruptedAt(files, at, when, meanwhile));
        const end = await call(late, old?.version ?? null);
        seen.push((await other.load("s"))?.state);
        if (name === "a commit") expect(end).toMatchObject({ ok: seen.includes("new") });
        ends.add((end as { ok?: boolean } | undefined)?.ok);
        expect(await other.commit("s", { state: "last" }, { expectedVersion: await other.version("s") })).toMatchObject(
          {
            ok: true,
          },
        );
        expect([...files.texts.keys()]).toHaveLength(3);
      }
    }
    expect(ends).toEqual(new Set(name === "a commit" ? [false, true] : [undefined]));
  });
});

describe("a list of files that misses what another process renames meanwhile", () => {
  it.each(PASTS)("shows %s as it is", async (_name, begin) => {
    const files = memoryVersions();
    const other = new FileSessionStore("/s", files);
    await begin(other);
    await other.commit("s", { state: "before" }, { expectedVersion: null });
    let isFirst = true;
    const list: VersionFiles["list"] = async (...call) => {
      if (!isFirst) return files.list(...call);
      isFirst = false;
      const version = await other.version("s");
      const before = await files.list(...call);
      await other.commit("s", { state: "after" }, { expectedVersion: version });
      const after = (await files.list(...call)) ?? [];
      return after.filter((name) => before?.includes(name));
    };
    expect((await new FileSessionStore("/s", { ...files, list }).load("s"))?.state).toBe("after");
  });
});

/** The lines that a process of its own wrote. `until`: it is killed after so many of them. */
async function runWriter(root: string, key: string, count: number, until = Infinity): Promise<string[]> {
  assertBuilt();
  const door = pathToFileURL(compiledModule("host/index.js")).href;
  const script = join(repositoryRoot, "test/support/session-writer.mjs");
  const child = spawn(process.execPath, [script, door, root, key, String(count)], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece: string) => {
    text += piece;
    if (text.split("\n").length > until) child.kill("SIGKILL");
  });
  const [code, signal] = await new Promise<[number | null, string | null]>((resolve) => {
    child.on("close", (...end) => resolve(end));
  });
  expect(until === Infinity ? code : signal).toBe(until === Infinity ? 0 : "SIGKILL");
  return text.split("\n").filter((line) => line !== "");
}

describe("PSS-66 several processes", () => {
  it("commit 1,000 versions to one session, and none is lost", async () => {
    const root = newFolder();
    const ends = await Promise.all(Array.from({ length: 8 }, () => runWriter(root, "count", 125)));
    const versions = ends.flat().map(Number);
    expect(versions.sort((a, b) => a - b)).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1));
    const stored = await new FileSessionStore(root).load("count");
    expect(stored?.version).toBe("1000");
    expect(stored?.state).toMatchObject({ number: 1_000 });
    expect(shapeOf(filesOf(root, "count"))).toEqual(["first.json", "v1000.head", "v1000.json"]);
  });

  it("lose nothing that was kept when they are killed", async () => {
    const root = newFolder();
    const store = new FileSessionStore(root);
    for (let round = 1; round <= 12; round++) {
      const lines = await runWriter(root, "count", 0, round);
      const stored = await store.load("count");
      // The last commit may have been kept before its line was written.
      const last = Number(lines.at(-1));
      expect([last, last + 1]).toContain(Number(stored?.version));
      expect(stored?.state).toMatchObject({ number: Number(stored?.version) });
    }
  });
});
