import { createHash, verify } from "node:crypto";
import { describe, expect, it } from "vitest";
import { attestCassette, signStatement } from "../../../src/cassette/trust/attest.js";
import type { CassetteError } from "../../../src/cassette/errors.js";
import { signCassette } from "../../../src/cassette/trust/sign.js";
import { formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import { encodeByHand, testKey } from "../../support/keys.js";
import { weatherCassette } from "../../support/recording.js";
import { refusal, rejection } from "../../support/refusal.js";

const key = testKey(1);
const good = await weatherCassette();
const bytes = Buffer.from(formatCassette(good));

describe("an attestation", () => {
  it("is an in-toto statement about the bytes of the file, with the checks as passed tests", () => {
    expect(attestCassette(bytes, "weather.cassette.json")).toEqual({
      _type: "https://in-toto.io/Statement/v1",
      subject: [
        { name: "weather.cassette.json", digest: { sha256: createHash("sha256").update(bytes).digest("hex") } },
      ],
      predicateType: "https://in-toto.io/attestation/test-result/v0.1",
      predicate: {
        result: "PASSED",
        configuration: [{ name: "cassette verify", uri: "pkg:npm/playhead@0.1.0" }],
        passedTests: ["format", "prompt-hash", "response-hash", "envelope-hash"],
        warnedTests: [],
        failedTests: [],
        cassette: {
          version: 2,
          cassetteId: good.cassetteId,
          envelopeHash: good.envelopeHash,
          turns: 2,
          recordedAt: good.recordedAt,
          recordedProvider: good.recordedProvider,
        },
      },
    });
  });

  it("names the signature when there is one, and no prompts where none were kept", async () => {
    const bare = await signCassette(await weatherCassette({ prompts: false }), key.seed);
    const { predicate } = attestCassette(Buffer.from(formatCassette(bare)), "x");
    expect(predicate.passedTests).toEqual(["format", "response-hash", "envelope-hash", "signature-of-key-beside-it"]);
  });

  it("is not made for what does not verify, nor for version 1", () => {
    const edited = Buffer.from(bytes.toString().replace("Take an umbrella.", "Stay in."));
    expect((refusal(() => attestCassette(edited, "x")) as CassetteError).code).toBe("response-hash");
    const old = Buffer.from('{"version":1,"recordedAt":"","recordedProvider":"","entries":[]}');
    expect((refusal(() => attestCassette(old, "x")) as CassetteError).code).toBe("integrity-required");
  });

  it("with a key stands in an envelope that node:crypto verifies", async () => {
    const statement = attestCassette(bytes, "x");
    const { payloadType, payload, signatures } = await signStatement(statement, key.pem);
    const text = Buffer.from(payload, "base64").toString();
    expect([payloadType, JSON.parse(text)]).toEqual(["application/vnd.in-toto+json", statement]);
    expect(signatures.map(({ keyid }) => keyid)).toEqual([key.keyId]);
    const sig = Buffer.from(signatures[0]?.sig ?? "", "base64");
    expect(verify(null, encodeByHand(payloadType, text), key.key, sig)).toBe(true);
  });

  it("by an object is held to the object's public key", async () => {
    const lying = { publicKey: Buffer.from(key.publicKey, "base64"), sign: () => new Uint8Array(64) };
    const error = (await rejection(signStatement(attestCassette(bytes, "x"), lying))) as CassetteError;
    expect(error.code).toBe("invalid-options");
  });
});
