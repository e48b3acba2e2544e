import { afterAll, describe, expect, it } from "vitest";
import { CassetteError } from "../../../src/cassette/errors.js";
import type { CassetteV2 } from "../../../src/cassette/file/format.js";
import { parseCassette } from "../../../src/cassette/trust/load-cassette.js";
import { createCassetteStore, formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import { memoryFiles } from "../../support/memory-files.js";
import { verifyKept } from "../../support/oracle.js";
import { draft, weatherCassette } from "../../support/recording.js";
import { rejection } from "../../support/refusal.js";
import { quietPorts } from "../../support/script.js";

afterAll(verifyKept);

const cassette = await weatherCassette();
const text = formatCassette(cassette);
const PATH = "cassettes/weather.cassette.json";

async function refused(promise: Promise<unknown>): Promise<CassetteError> {
  const error = await rejection(promise);
  expect(error).toBeInstanceOf(CassetteError);
  return error as CassetteError;
}

describe("load", () => {
  it("gives the checked cassette of a file", async () => {
    expect(await createCassetteStore(memoryFiles({ [PATH]: text })).load(PATH)).toEqual(cassette);
  });

  it("says that the file is missing, and how to make one", async () => {
    const error = await refused(createCassetteStore(memoryFiles()).load(PATH));
    expect([error.code, error.summary, error.file, error.hint]).toEqual([
      "file-not-found",
      `there is no cassette at ${PATH}`,
      PATH,
      "Check the path, or record it first (CASSETTE_MODE=record).",
    ]);
  });

  it("says that a damaged file is damaged, not missing", async () => {
    for (const damaged of ["", text.slice(0, -20), text.replace("umbrella", "raincoat")]) {
      const error = await refused(createCassetteStore(memoryFiles({ [PATH]: damaged })).load(PATH));
      expect([error.code, error.file]).toEqual([damaged.includes("raincoat") ? "response-hash" : "not-json", PATH]);
    }
  });

  it("says that a file is too large, with both sizes", async () => {
    const error = await refused(createCassetteStore(memoryFiles({ [PATH]: text })).load(PATH, { maxBytes: 99 }));
    expect([error.code, error.summary]).toEqual([
      "too-large",
      `${PATH} has ${Buffer.byteLength(text)} bytes, more than the limit of 99`,
    ]);
  });

  it("says what the disk said", async () => {
    const files = memoryFiles();
    files.fail("read", { kind: "failed", message: "EACCES" });
    const error = await refused(createCassetteStore(files).load(PATH));
    expect([error.code, error.summary]).toEqual(["file-unreadable", `${PATH} cannot be read: EACCES`]);
  });

  it("PLK-122 hands requireIntegrity and the warning port on", async () => {
    const { entries, recordedAt, recordedProvider } = cassette;
    const bare = entries.map(({ turnIndex, promptHash, response }) => ({ turnIndex, promptHash, response }));
    const old = JSON.stringify({ version: 1, recordedAt, recordedProvider, entries: bare });
    const store = createCassetteStore(memoryFiles({ [PATH]: old }));
    expect((await refused(store.load(PATH, { requireIntegrity: true }))).code).toBe("integrity-required");
    const { warn, warnings } = quietPorts();
    expect((await store.load(PATH, { ports: { warn } })).version).toBe(1);
    expect(warnings[0]).toContain(PATH);
  });
});

describe("save", () => {
  it("writes a file that loads", async () => {
    const files = memoryFiles();
    const store = createCassetteStore(files);
    await store.save(PATH, cassette);
    expect(files.texts.get(PATH)).toBe(text);
    expect(await store.load(PATH)).toEqual(cassette);
  });

  it("leaves an existing file as it is unless told to overwrite", async () => {
    const files = memoryFiles({ [PATH]: "precious" });
    const store = createCassetteStore(files);
    const error = await refused(store.save(PATH, cassette));
    expect([error.code, error.summary, error.file]).toEqual([
      "file-exists",
      `${PATH} exists and was not changed`,
      PATH,
    ]);
    expect(files.texts.get(PATH)).toBe("precious");
    await store.save(PATH, cassette, { overwrite: true });
    expect(files.texts.get(PATH)).toBe(text);
  });

  it("says what the disk said", async () => {
    const files = memoryFiles();
    files.fail("write", { kind: "failed", message: "ENOSPC" });
    const error = await refused(createCassetteStore(files).save(PATH, cassette));
    expect([error.code, error.summary]).toEqual(["file-unreadable", `${PATH} cannot be written: ENOSPC`]);
  });
});

describe("save with a limit", () => {
  it("writes nothing that load would refuse as too large, down to the byte", async () => {
    const files = memoryFiles();
    const store = createCassetteStore(files);
    const size = Buffer.byteLength(text);
    const error = await refused(store.save(PATH, cassette, { maxBytes: size - 1 }));
    expect([error.code, error.summary, error.file]).toEqual([
      "too-large",
      `${PATH} was not written: it would have more than ${size - 1} bytes`,
      PATH,
    ]);
    expect(files.texts.size).toBe(0);
    await store.save(PATH, cassette, { maxBytes: size });
    expect(await store.load(PATH, { maxBytes: size })).toEqual(cassette);
  });
});

describe("formatCassette", () => {
  it("writes two spaces, keys in the order of the format and one final newline", () => {
    expect(text.startsWith('{\n  "version": 2,\n  "agentId": "researcher",\n  "recordedAt": ')).toBe(true);
    expect(text.endsWith('"\n}\n')).toBe(true);
    expect(text).not.toMatch(/[ \t]\n|\r|\t/);
  });

  it("writes the same bytes whatever the order of the keys it is handed", () => {
    const { version, entries, ...rest } = draft(cassette);
    const turned = entries.map((entry) => Object.fromEntries(Object.entries(entry).reverse()));
    const shuffled = { entries: turned, ...Object.fromEntries(Object.entries(rest).reverse()), version };
    expect(formatCassette(shuffled as unknown as CassetteV2)).toBe(text);
  });

  it("writes what it read, byte for byte", () => {
    expect(formatCassette(parseCassette(text))).toBe(text);
  });

  it("keeps a __proto__ key in an argument", async () => {
    const odd = draft(cassette);
    const [call] = odd.entries[0]?.response.message.toolCalls ?? [];
    Object.defineProperty(call?.arguments ?? {}, "__proto__", { value: { x: 1 }, enumerable: true });
    expect(formatCassette(odd)).toContain('"__proto__": {\n');
  });
});
