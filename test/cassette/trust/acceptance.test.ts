import { describe, expect, it } from "vitest";
import {
  formatAcceptance,
  parseAcceptances,
  proofOf,
  signAcceptance,
  type Acceptance,
} from "../../../src/cassette/trust/acceptance.js";
import { CassetteError } from "../../../src/cassette/errors.js";
import { checkTrust } from "../../../src/cassette/trust/trust.js";

const now = Date.parse("2026-11-20T12:00:00Z");
const plain: Acceptance = {
  path: "weather.1.cassette.json",
  cassetteId: "0".repeat(32),
  envelopeHash: "a".repeat(64),
  reason: "asks for Celsius",
  acceptedAt: "2026-11-20T12:00:00.000Z",
};
const signed = await signAcceptance(plain, "07".repeat(32));
const { publicKey = "", keyId = "" } = signed.signature ?? {};

describe("an acceptance", () => {
  it("is one line, and reads back as it was", () => {
    const text = formatAcceptance(plain) + formatAcceptance(signed);
    expect(text.split("\n")).toHaveLength(3);
    expect(parseAcceptances(text)).toEqual([plain, signed]);
  });

  it("is worth as much as its signature", () => {
    const trust = checkTrust({ keys: [{ keyId, publicKey }] });
    const ended = checkTrust({ keys: [{ keyId, publicKey, notAfter: "2026-11-19T00:00:00Z" }] });
    expect(proofOf(plain, now, trust)).toBe("unsigned");
    expect(proofOf(signed, now)).toBe("unknown-key");
    expect(proofOf(signed, now, trust)).toBe("trusted");
    expect(proofOf(signed, now, ended)).toBe("unknown-key");
  });

  it.each(["path", "cassetteId", "envelopeHash", "reason", "acceptedAt"] as const)("notices another %s", (field) => {
    expect(proofOf({ ...signed, [field]: "x" }, now)).toBe("invalid");
  });

  it("notices a key id that is not the key's", () => {
    const other = { publicKey, sig: signed.signature?.sig ?? "", keyId: "0".repeat(16) };
    expect(proofOf({ ...signed, signature: other }, now)).toBe("invalid");
  });

  it.each([
    ["a value that is not an object", "[]"],
    ["a field nobody knows", JSON.stringify({ ...plain, more: 1 })],
    ["a missing reason", JSON.stringify({ ...plain, reason: undefined })],
    ["a path that leads out", JSON.stringify({ ...plain, path: "../x.cassette.json" })],
    ["an invalid signature", JSON.stringify({ ...plain, signature: { sig: "x" } })],
  ])("refuses %s, and names the line", (_what, line) => {
    let thrown: unknown;
    try {
      parseAcceptances(`${formatAcceptance(plain)}${line}\n`, "base/accepted.jsonl");
    } catch (error) {
      thrown = error;
    }
    expect(thrown).toBeInstanceOf(CassetteError);
    expect(thrown).toMatchObject({ code: "acceptance-malformed", file: "base/accepted.jsonl" });
    expect((thrown as CassetteError).message).toContain("line 2");
  });
});
