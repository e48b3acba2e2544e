import { describe, expect, it } from "vitest";
import type { CassetteError } from "../../../src/cassette/errors.js";
import { checkCassette, parseCassette } from "../../../src/cassette/trust/load-cassette.js";
import {
  formatLock,
  isLockPath,
  parseLock,
  readLock,
  toLockEntry,
  type Lock,
} from "../../../src/cassette/trust/lock.js";
import { memoryFiles } from "../../support/memory-files.js";
import { fixedPorts, weatherCassette } from "../../support/recording.js";
import { refusal, rejection } from "../../support/refusal.js";
import { quietPorts } from "../../support/script.js";

const good = await weatherCassette();
const PATH = "cassettes/weather.cassette.json";
const lock: Lock = new Map([[PATH, toLockEntry(good)]]);

function refused(run: () => unknown): CassetteError {
  return refusal(run) as CassetteError;
}

const entryText = (change: object = {}) => JSON.stringify({ ...toLockEntry(good), ...change });
const lockText = (path: string, entry = entryText()) =>
  `{"lockVersion":1,"cassettes":{${JSON.stringify(path)}:${entry}}}`;

describe("a lock file", () => {
  it("is written sorted by path, in the order of the format, and read back the same", () => {
    const many: Lock = new Map(
      ["b/x.cassette.json", "a.cassette.json", "B.cassette.json"].map((path) => [path, toLockEntry(good)]),
    );
    const text = formatLock(many);
    expect([...parseLock(text).keys()]).toEqual(["B.cassette.json", "a.cassette.json", "b/x.cassette.json"]);
    expect(formatLock(parseLock(text))).toBe(text);
    expect(text).toBe(JSON.stringify(JSON.parse(text), null, 2) + "\n");
    expect(
      Object.keys((JSON.parse(text) as { cassettes: Record<string, object> }).cassettes["a.cassette.json"] ?? {}),
    ).toEqual(["version", "cassetteId", "envelopeHash", "entries"]);
  });

  it("may be empty", () => {
    expect(formatLock(new Map())).toBe('{\n  "lockVersion": 1,\n  "cassettes": {}\n}\n');
    expect(parseLock(formatLock(new Map())).size).toBe(0);
  });

  it.each(["", "/a", "../a", "a/../b", "./a", "a//b", "a/", "a\\b", "C:/a", "c:a", "a\0b", ".."])(
    "refuses the path %j",
    (path) => {
      expect(isLockPath(path)).toBe(false);
      const error = refused(() => parseLock(lockText(path), { file: "x.lock" }));
      expect([error.code, error.file]).toEqual(["lock-malformed", "x.lock"]);
    },
  );

  it("keeps a path called __proto__ as data", () => {
    const read = parseLock(lockText("__proto__"));
    expect(read.get("__proto__")).toEqual(toLockEntry(good));
    expect(formatLock(read)).toContain('"__proto__"');
  });

  it.each([
    ["a path twice", `{"lockVersion":1,"cassettes":{"a":${entryText()},"a":${entryText()}}}`, "duplicate-key"],
    ["a later version", '{"lockVersion":2,"cassettes":{}}', "lock-malformed"],
    ["no version", '{"cassettes":{}}', "lock-malformed"],
    ["an unknown field", '{"lockVersion":1,"cassettes":{},"policy":{}}', "lock-malformed"],
    ["no cassettes", '{"lockVersion":1}', "lock-malformed"],
    ["a list of cassettes", '{"lockVersion":1,"cassettes":[]}', "lock-malformed"],
    ["a list", "[]", "lock-malformed"],
    ["torn text", '{"lockVersion":1', "not-json"],
    ["an entry that is text", lockText("a", '"x"'), "lock-malformed"],
    ["an unknown field of an entry", lockText("a", entryText({ note: 1 })), "lock-malformed"],
    ["version 1 of an entry", lockText("a", entryText({ version: 1 })), "lock-malformed"],
    ["a short id", lockText("a", entryText({ cassetteId: "00" })), "lock-malformed"],
    ["an upper-case hash", lockText("a", entryText({ envelopeHash: "A".repeat(64) })), "lock-malformed"],
    ["half an entry", lockText("a", entryText({ entries: 0.5 })), "lock-malformed"],
    ["less than no entries", lockText("a", entryText({ entries: -1 })), "lock-malformed"],
  ])("refuses %s", (_, text, code) => {
    expect(refused(() => parseLock(text)).code).toBe(code);
  });

  it("torn, has to be written again and not recorded", () => {
    expect(refused(() => parseLock("{")).hint).toContain("write a new lock with cassette lock");
  });

  it("that is missing or cannot be read is said so", async () => {
    const files = memoryFiles({ "l.lock": formatLock(lock) });
    expect(await readLock(files, "l.lock")).toEqual(lock);
    const error = (await rejection(readLock(files, "none.lock"))) as CassetteError;
    expect([error.code, error.summary]).toEqual(["file-not-found", "there is no lock at none.lock"]);
    files.fail("read", { kind: "failed", message: "EACCES" });
    expect(((await rejection(readLock(files, "l.lock"))) as CassetteError).code).toBe("file-unreadable");
  });
});

describe("a cassette held against its lock", () => {
  const against = (value: unknown, path = PATH) =>
    refused(() => checkCassette(value, { lock: { lock, path }, ports: quietPorts() }));

  it("loads when nothing changed", () => {
    expect(checkCassette(good, { lock: { lock, path: PATH } })).toEqual(good);
  });

  it("is refused when it was recorded again, though all its hashes hold", async () => {
    const anew = await weatherCassette({ ports: fixedPorts(7) });
    expect(against(anew).summary).toMatch(/another recording \(cassetteId 0708.*its envelopeHash is/);
    expect(against(anew).code).toBe("lock-mismatch");
  });

  it("is refused when it is not in the lock", () => {
    expect(against(good, "cassettes/other.cassette.json").summary).toBe(
      "it is new: the lock has no cassettes/other.cassette.json",
    );
  });

  it("is refused when it is a version 1 now, before anything is said of version 1", () => {
    const bare = good.entries.map(({ turnIndex, promptHash, response }) => ({ turnIndex, promptHash, response }));
    const { recordedAt, recordedProvider } = good;
    const stripped = { version: 1, recordedAt, recordedProvider, entries: bare };
    const { warn, warnings } = quietPorts();
    const error = refused(() => checkCassette(stripped, { lock: { lock, path: PATH }, ports: { warn } }));
    expect([error.code, error.summary]).toEqual(["lock-mismatch", "it has version 1, lower than the 2 of the lock"]);
    expect(warnings).toEqual([]);
    expect(parseCassette(JSON.stringify(stripped), { ports: quietPorts() }).version).toBe(1);
  });
});
