import { describe, expect, it } from "vitest";
import type { CassetteError } from "../../../src/cassette/errors.js";
import { checkTrust, decodeExact, parseTrust, readTrust, validityAt } from "../../../src/cassette/trust/trust.js";
import { testKey, trustIn } from "../../support/keys.js";
import { memoryFiles } from "../../support/memory-files.js";
import { refusal, rejection } from "../../support/refusal.js";

const { keyId, publicKey } = testKey(1);
const key = { keyId, publicKey };

describe("a trust list", () => {
  it("is read from text, a file or an object", async () => {
    const full = { ...key, name: "ci", notBefore: "2026-01-01T00:00:00Z", notAfter: "2027-01-01T00:00:00.000Z" };
    const text = JSON.stringify({ keys: [full] });
    expect(parseTrust(text)).toEqual({ keys: [full] });
    expect(await readTrust(memoryFiles({ "k.json": text }), "k.json")).toEqual({ keys: [full] });
    expect(checkTrust({ keys: [] })).toEqual({ keys: [] });
  });

  it.each([
    ["a list", []],
    ["no keys", {}],
    ["an unknown field", { keys: [], policy: 1 }],
    ["a key that is text", { keys: ["x"] }],
    ["a misspelled field, which would mean for ever", { keys: [{ ...key, notafter: "2026-01-01T00:00:00Z" }] }],
    ["no key id", { keys: [{ publicKey }] }],
    ["no public key", { keys: [{ keyId }] }],
    ["a short public key", { keys: [{ keyId, publicKey: "AAAA" }] }],
    ["a public key of another spelling", { keys: [{ keyId, publicKey: publicKey.replace(/=$/, "") }] }],
    ["a name that is not text", { keys: [{ ...key, name: 1 }] }],
    ["a date without a time", { keys: [{ ...key, notAfter: "2026-01-01" }] }],
    ["a day that does not exist", { keys: [{ ...key, notAfter: "2026-02-30T00:00:00Z" }] }],
    ["an invalid time", { keys: [{ ...key, notAfter: "2026-13-01T00:00:00Z" }] }],
    [
      "an end before its beginning",
      { keys: [{ ...key, notBefore: "2027-01-01T00:00:00Z", notAfter: "2026-01-01T00:00:00Z" }] },
    ],
    ["one key twice", { keys: [key, { ...key, keyId: "other", notAfter: "2026-01-01T00:00:00Z" }] }],
  ])("is refused for %s", (_, value) => {
    const error = refusal(() => parseTrust(JSON.stringify(value), { file: "keys.json" })) as CassetteError;
    expect([error.code, error.file]).toEqual(["trust-malformed", "keys.json"]);
  });

  it("is refused for a field that occurs twice", () => {
    const twice = refusal(() => parseTrust('{"keys":[],"keys":[]}')) as CassetteError;
    expect([twice.code, twice.hint]).toEqual([
      "duplicate-key",
      expect.stringContaining("as cassette keygen prints it"),
    ]);
  });

  it("that is missing is said so", async () => {
    const error = (await rejection(readTrust(memoryFiles(), "k.json"))) as CassetteError;
    expect([error.code, error.summary]).toEqual(["file-not-found", "there is no trust file at k.json"]);
  });

  it("holds from its beginning to its end, both included, by the clock that is given", () => {
    const [first] = trustIn({
      ...testKey(1),
      notBefore: "2026-01-01T00:00:00Z",
      notAfter: "2026-12-31T00:00:00Z",
    }).keys;
    const at = (time: string) => first && validityAt(first, Date.parse(time));
    expect(at("2025-12-31T23:59:59.999Z")).toBe("not-yet");
    expect(at("2026-01-01T00:00:00Z")).toBe("in-force");
    expect(at("2026-12-31T00:00:00Z")).toBe("in-force");
    expect(at("2026-12-31T00:00:00.001Z")).toBe("expired");
    expect(validityAt(key, 0)).toBe("in-force");
  });
});

describe("base64 of a known length", () => {
  it("has one spelling", () => {
    expect(decodeExact(publicKey, 32)).toHaveLength(32);
    const wrong = [publicKey.slice(0, -1), `${publicKey} `, publicKey.replaceAll("=", ""), "A".repeat(1000), ""];
    for (const text of wrong) expect(decodeExact(text, 32)).toBeUndefined();
    expect(decodeExact(publicKey, 31)).toBeUndefined();
  });
});
