import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import {
  formatCassette,
  formatLock,
  signCassette,
  toLockEntry,
  type CassetteV2,
  type Trust,
} from "../../../../src/cassette/index.js";
import { readSigningKey, toBase64 } from "../../../../src/core/index.js";
import "../../../../src/entry/vitest.js";
import { createMatchers } from "../../../../src/harness/index.js";
import { otherSeed, seed } from "../../../support/receipts.js";
import { rejection } from "../../../support/refusal.js";
import { lookupRun } from "../../vitest/runs.js";

let folder: string;
let cassette: CassetteV2;
let unsigned: string;
let signed: string;
let foreign: string;
let lock: string;
let trust: Trust;
let trustFile: string;

const trustOf = (bytes: Uint8Array): Trust => {
  const { keyId, publicKey } = readSigningKey(bytes);
  return { keys: [{ keyId, publicKey: toBase64(publicKey) }] };
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "playhead-pins-"));
  const write = async (name: string, text: string) => {
    await writeFile(join(folder, name), text);
    return join(folder, name);
  };
  cassette = (await lookupRun()).cassette;
  unsigned = await write("unsigned.cassette.json", formatCassette(cassette));
  signed = await write("signed.cassette.json", formatCassette(await signCassette(cassette, seed)));
  foreign = await write("foreign.cassette.json", formatCassette(await signCassette(cassette, otherSeed)));
  const entry = toLockEntry(cassette);
  lock = await write(
    "cassettes.lock",
    formatLock(
      new Map([
        ["unsigned.cassette.json", entry],
        ["signed.cassette.json", entry],
        ["foreign.cassette.json", { ...entry, entries: 9 }],
      ]),
    ),
  );
  trust = trustOf(seed);
  trustFile = await write("trust.json", JSON.stringify(trust));
});
afterAll(() => rm(folder, { recursive: true }));

describe("a lock and a trust list", () => {
  it("toBeVerifiedCassette: confirm a cassette, or are why it is refused", async () => {
    await expect(unsigned).toBeVerifiedCassette({ lock });
    await expect(signed).toBeVerifiedCassette({ lock, trust, requireSignature: true });
    await expect(signed).toBeVerifiedCassette({ trust: trustFile });
    await expect(unsigned).toBeVerifiedCassette({ trust });
    for (const [file, options, code] of [
      [foreign, { lock }, "lock-mismatch"],
      [foreign, { trust }, "signature-untrusted"],
      [unsigned, { trust, requireSignature: true }, "signature-missing"],
    ] as const) {
      await expect(file).not.toBeVerifiedCassette(options);
      expect(await rejection(expect(file).toBeVerifiedCassette(options))).toMatchObject({
        message: expect.stringContaining(`but it was refused (${code}): `),
      });
    }
    expect(await rejection(expect(signed).not.toBeVerifiedCassette({ lock, trust }))).toMatchObject({
      message: expect.stringContaining("every hash matches, the lock confirms it, no other key signed it."),
    });
  });

  it("toMatchCassette and toHaveNoDriftFrom: throw for a pinned cassette that they refuse, also under .not", async () => {
    await expect(cassette).toMatchCassette(signed, { lock, trust, requireSignature: true });
    await expect(cassette).toHaveNoDriftFrom([unsigned, signed], { lock, trust: trustFile });
    for (const assertion of [expect(cassette), expect(cassette).not]) {
      for (const name of ["toMatchCassette", "toHaveNoDriftFrom"] as const) {
        expect(await rejection(assertion[name](foreign, { lock }))).toMatchObject({ code: "lock-mismatch" });
        expect(await rejection(assertion[name](foreign, { trust }))).toMatchObject({ code: "signature-untrusted" });
        expect(await rejection(assertion[name](unsigned, { trust, requireSignature: true }))).toMatchObject({
          code: "signature-missing",
        });
      }
    }
  });

  it("are refused where they can confirm nothing, also under .not", async () => {
    for (const assertion of [expect(cassette), expect(cassette).not]) {
      for (const name of ["toMatchCassette", "toHaveNoDriftFrom"] as const) {
        const refused = (options: object) => rejection(assertion[name](cassette, options));
        for (const options of [{ lock }, { lock: "" }, { trust: 1 }, { requireSignature: true }]) {
          expect(await refused(options)).toMatchObject({ code: "matcher-misuse" });
        }
        expect(await refused({ trust: { keys: [1] } })).toMatchObject({ code: "trust-malformed" });
        expect(await refused({ trust: join(folder, "gone.json") })).toMatchObject({ code: "file-not-found" });
      }
    }
    for (const assertion of [expect(unsigned), expect(unsigned).not]) {
      expect(await rejection(assertion.toBeVerifiedCassette({ lock: join(folder, "gone.lock") }))).toMatchObject({
        code: "file-not-found",
      });
      expect(await rejection(assertion.toBeVerifiedCassette({ lock: trustFile }))).toMatchObject({
        code: "lock-malformed",
      });
    }
    const { toMatchCassette } = createMatchers({ load: async () => cassette });
    const context = { equals: Object.is, utils: { iterableEquality: undefined } };
    await expect(toMatchCassette.call(context, cassette, cassette, { trust: trustFile })).rejects.toMatchObject({
      code: "matcher-misuse",
    });
  });
});
