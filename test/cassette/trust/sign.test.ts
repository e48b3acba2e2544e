import { sign as nodeSign, verify as nodeVerify } from "node:crypto";
import { describe, expect, it } from "vitest";
import { MAX_SIGNATURES } from "../../../src/cassette/limits.js";
import { formatEnvelope, parseEnvelope } from "../../../src/cassette/trust/dsse-file.js";
import { CassetteError } from "../../../src/cassette/errors.js";
import type { CassetteSignature, CassetteV2 } from "../../../src/cassette/file/format.js";
import { checkCassette, parseCassette, type CheckOptions } from "../../../src/cassette/trust/load-cassette.js";
import { recordingProvider } from "../../../src/cassette/record/recording-provider.js";
import { addSignature, signCassette, verifyCassetteSignature } from "../../../src/cassette/trust/sign.js";
import { createCassetteStore, formatCassette } from "../../../src/cassette/trust/cassette-store.js";
import { scriptedProvider } from "../../../src/core/providers/scripted.js";
import { encodeByHand, PAYLOAD_TYPE, payloadByHand, signByHand, testKey, trustIn } from "../../support/keys.js";
import { memoryFiles } from "../../support/memory-files.js";
import { fixedPorts, prompt, runWeather, WEATHER_SCRIPT, weatherCassette } from "../../support/recording.js";
import { refusal, rejection } from "../../support/refusal.js";
import { say } from "../../support/script.js";

const NOW = Date.UTC(2026, 10, 20, 12);
const [first, second, third] = [testKey(1), testKey(2), testKey(3)];
const plain = await weatherCassette();
const signed = await signCassette(plain, first.seed);

const load = (signature: CassetteSignature | undefined, options: CheckOptions = {}) =>
  checkCassette(signature === undefined ? plain : { ...plain, signature }, { ports: { now: () => NOW }, ...options });

function refused(run: () => unknown): CassetteError {
  const error = refusal(run);
  expect(error).toBeInstanceOf(CassetteError);
  return error as CassetteError;
}

describe("a signature", () => {
  it("PLK-126 is the one that node:crypto makes over bytes put together by hand", () => {
    expect(signed.signature).toEqual(signByHand(first, plain));
    expect({ ...signed, signature: undefined }).toEqual({ ...plain, signature: undefined });
    const sig = Buffer.from(signed.signature?.sig ?? "", "base64");
    expect(nodeVerify(null, encodeByHand(PAYLOAD_TYPE, payloadByHand(plain)), first.key, sig)).toBe(true);
  });

  it.each([
    ["a seed", first.seed],
    ["a PEM file", first.pem],
    ["bytes", Uint8Array.from(Buffer.from(first.seed, "hex"))],
    [
      "an object that signs later",
      {
        publicKey: Buffer.from(first.publicKey, "base64"),
        sign: async (message: Uint8Array) => nodeSign(null, message, first.key),
      },
    ],
  ])("is made with %s", async (_, key) => {
    expect(await signCassette(plain, key)).toEqual(signed);
  });

  it("is checked whenever there is one, and loads under any key where nobody said whose count", () => {
    expect(parseCassette(formatCassette(signed))).toEqual(signed);
    expect(load(signByHand(second, plain)).version).toBe(2);
  });

  it.each<[string, CassetteSignature]>([
    ["of another payload type", signByHand(first, plain, { type: "application/vnd.playhead.cassette.v3+json" })],
    ["of an in-toto statement", signByHand(first, plain, { type: "application/vnd.in-toto+json" })],
    [
      "of another payload",
      signByHand(first, plain, { payload: payloadByHand({ ...plain, cassetteId: "f".repeat(32) }) }),
    ],
    ["of the payload with white space", signByHand(first, plain, { payload: payloadByHand(plain).replace(",", ", ") })],
    ["of another cassette", signByHand(first, { ...plain, envelopeHash: "0".repeat(64) })],
    ["under the key of somebody else", { ...signByHand(first, plain), publicKey: second.publicKey }],
    ["that is cut short", { ...signByHand(first, plain), sig: signByHand(first, plain).sig.slice(0, -4) }],
    ["that is empty", { ...signByHand(first, plain), sig: "" }],
    [
      "in base64url",
      {
        ...signByHand(first, plain),
        sig: signByHand(first, plain).sig.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""),
      },
    ],
    ["with an invalid key", { ...signByHand(first, plain), publicKey: "AAAA" }],
  ])("%s is refused", (_, signature) => {
    const error = refused(() => load(signature));
    expect([error.code, error.pointer]).toEqual(["signature-invalid", "/signature"]);
  });

  it("may carry any keyId, which proves nothing", () => {
    const lying = { ...signByHand(second, plain), keyId: first.keyId };
    expect(load(lying).version).toBe(2);
    expect(refused(() => load(lying, { trust: trustIn(first) })).code).toBe("signature-untrusted");
    const verdict = verifyCassetteSignature({ ...plain, signature: lying }, trustIn(second), { now: NOW });
    expect(verdict).toEqual({
      kind: "trusted",
      signatures: [{ where: "cassette", status: "trusted", keyId: second.keyId }],
    });
  });

  it("is not written over, and not made for what does not verify", async () => {
    expect(((await rejection(signCassette(signed, second.seed))) as CassetteError).code).toBe("already-signed");
    const edited = { ...plain, recordedProvider: "other" };
    expect(((await rejection(signCassette(edited, first.seed))) as CassetteError).code).toBe("envelope-hash");
    const { agentId: _, cassetteId: __, envelopeHash: ___, extensions: ____, ...rest } = plain;
    const old = { ...rest, version: 1 as const, entries: [] };
    expect(((await rejection(signCassette(old, first.seed))) as CassetteError).code).toBe("integrity-required");
  });

  it.each(["", "no key", first.seed.slice(2), first.pem.replace("PRIVATE", "PUBLIC")])(
    "is refused a wrong key, which is not repeated (%#)",
    async (key) => {
      const error = (await rejection(signCassette(plain, key))) as CassetteError;
      expect(error.code).toBe("invalid-options");
      if (key !== "") expect(error.message).not.toContain(key);
    },
  );

  it("by an object is held to the object's public key", async () => {
    const lying = { publicKey: Buffer.from(first.publicKey, "base64"), sign: () => new Uint8Array(64) };
    expect(((await rejection(signCassette(plain, lying))) as CassetteError).summary).toContain(
      "does not match its publicKey",
    );
  });
});

describe("trust", () => {
  const trust = trustIn(
    { ...first, name: "ci" },
    { ...second, notAfter: "2026-01-01T00:00:00Z" },
    { ...third, notBefore: "2027-01-01T00:00:00Z" },
  );

  it("lets in what a key of the list signed", () => {
    expect(load(signByHand(first, plain), { trust, requireSignature: true }).version).toBe(2);
    expect(verifyCassetteSignature(signed, trust, { now: NOW })).toEqual({
      kind: "trusted",
      signatures: [{ where: "cassette", status: "trusted", keyId: first.keyId, name: "ci" }],
    });
  });

  it.each([
    ["an unknown key", testKey(9), "is not in the trust list"],
    ["a key whose time is over", second, "the trust in key"],
    ["a key whose time is to come", third, "is not trusted yet, only from 2027-01-01T00:00:00Z"],
  ])("refuses %s, by the clock of whoever verifies", (_, key, words) => {
    const error = refused(() => load(signByHand(key, plain), { trust }));
    expect(error.code).toBe("signature-untrusted");
    expect(error.summary).toContain(words);
    // The cassette's own date would have been in time.
    expect(plain.recordedAt).toBe("2026-11-20T12:00:00.000Z");
  });

  it("lets a cassette without a signature in, unless one is required", () => {
    expect(load(undefined, { trust }).version).toBe(2);
    expect(refused(() => load(undefined, { trust, requireSignature: true })).code).toBe("signature-missing");
    expect(verifyCassetteSignature(plain, trust)).toEqual({ kind: "unsigned" });
  });

  it("is asked for where a signature is required, since anybody can sign", () => {
    expect(refused(() => load(signByHand(first, plain), { requireSignature: true })).code).toBe("invalid-options");
  });

  it("is checked itself, so that a misspelled end is not for ever", () => {
    const misspelled = { keys: [{ keyId: first.keyId, publicKey: first.publicKey, notafter: "2020-01-01T00:00:00Z" }] };
    expect(refused(() => load(signByHand(first, plain), { trust: misspelled })).code).toBe("trust-malformed");
    expect(refused(() => verifyCassetteSignature(signed, misspelled)).code).toBe("trust-malformed");
  });

  it("does not hold for contents that were changed in memory after they were signed", () => {
    const changed = { ...signed, recordedProvider: "other" };
    expect(refused(() => verifyCassetteSignature(changed, trust)).code).toBe("envelope-hash");
  });
});

describe("further signatures", () => {
  const FILE = "a.cassette.json";
  const store = async (cassette: CassetteV2, envelope?: string) =>
    createCassetteStore(
      memoryFiles({
        [FILE]: formatCassette(cassette),
        ...(envelope === undefined ? {} : { [`${FILE}.dsse`]: envelope }),
      }),
    );

  it("stand in an envelope that any DSSE tool reads", async () => {
    const envelope = await addSignature(signed, third.seed, await addSignature(signed, second.seed));
    expect(envelope).toEqual({
      payloadType: PAYLOAD_TYPE,
      payload: Buffer.from(payloadByHand(plain)).toString("base64"),
      signatures: [second, third].map((key) => ({ keyid: key.keyId, sig: signByHand(key, plain).sig })),
    });
    expect(parseEnvelope(formatEnvelope(envelope))).toEqual(envelope);
    expect(await addSignature(signed, second.seed, envelope)).toEqual(envelope);
  });

  it("count as the one in the cassette does: one trusted key is enough", async () => {
    const envelope = await addSignature(signed, second.seed);
    const verdict = verifyCassetteSignature(signed, trustIn(second), { now: NOW, envelope });
    expect(verdict).toEqual({
      kind: "trusted",
      signatures: [
        { where: "cassette", status: "unknown-key", keyId: first.keyId },
        { where: "envelope", status: "trusted", keyId: second.keyId },
      ],
    });
    const options = { trust: trustIn(second), requireSignature: true };
    expect(await (await store(signed, formatEnvelope(envelope))).load(FILE, options)).toEqual(signed);
    expect(await (await store(plain, formatEnvelope(envelope))).load(FILE, options)).toEqual(plain);
    expect(((await rejection((await store(signed)).load(FILE, options))) as CassetteError).code).toBe(
      "signature-untrusted",
    );
  });

  it("are found by trying every key, whatever the keyid says", async () => {
    const envelope = await addSignature(plain, second.seed);
    for (const keyid of ["", "nonsense", first.keyId]) {
      const renamed = { ...envelope, signatures: envelope.signatures.map(({ sig }) => ({ keyid, sig })) };
      expect(verifyCassetteSignature(plain, trustIn(first, second), { envelope: renamed }).kind).toBe("trusted");
      expect(verifyCassetteSignature(plain, trustIn(first), { envelope: renamed }).kind).toBe("untrusted");
    }
  });

  it.each<[string, (text: string) => string]>([
    ["of another payload type", (text) => text.replace(PAYLOAD_TYPE, "application/vnd.in-toto+json")],
    [
      "of another cassette",
      (text) => text.replace(/"payload": "[^"]*"/, `"payload": "${Buffer.from("{}").toString("base64")}"`),
    ],
    ["with a payload that is not base64", (text) => text.replace(/"payload": "[^"]*"/, '"payload": "*"')],
    ["without signatures", (text) => text.replace(/"signatures": \[[^\]]*\]/, '"signatures": []')],
    ["without a list", (text) => text.replace(/"signatures": \[[^\]]*\]/, '"signatures": {}')],
    ["with a signature that is not an object", (text) => text.replace(/"signatures": \[[^\]]*\]/, '"signatures": [1]')],
    [
      "with too many",
      (text) =>
        text.replace(
          /"signatures": \[[^\]]*\]/,
          `"signatures": ${JSON.stringify(Array(MAX_SIGNATURES + 1).fill({ sig: "" }))}`,
        ),
    ],
    ["that is a list", () => "[]"],
  ])("in an envelope %s refuse the cassette", async (_, change) => {
    const text = formatEnvelope(await addSignature(plain, second.seed));
    expect(change(text)).not.toBe(text);
    const error = await rejection((await store(plain, change(text))).load(FILE, { trust: trustIn(second) }));
    expect((error as CassetteError).code).toBe("signature-invalid");
  });

  it("are not added to an envelope of another cassette", async () => {
    const other = await weatherCassette({ ports: fixedPorts(9) });
    const envelope = await addSignature(other, second.seed);
    expect(((await rejection(addSignature(plain, second.seed, envelope))) as CassetteError).code).toBe(
      "signature-invalid",
    );
  });
});

describe("a recorder that signs", () => {
  async function record(options: object): Promise<CassetteV2> {
    const recorder = recordingProvider(scriptedProvider(WEATHER_SCRIPT), { ports: fixedPorts(), ...options });
    await runWeather(recorder);
    return recorder.toCassette({ agentId: "researcher" });
  }

  it.each([
    ["a key", { sign: first.pem }],
    ["env:NAME", { sign: "env:CASSETTE_KEY", env: { CASSETTE_KEY: first.seed } }],
  ])("PLK-126 with %s gives what signCassette gives", async (_, options) => {
    expect(await record(options)).toEqual(signed);
  });

  it("signs each cassette it is asked for, as far as it has come", async () => {
    const recorder = recordingProvider(scriptedProvider([say("a"), say("b")]), {
      sign: first.seed,
      ports: fixedPorts(),
    });
    await recorder.turn(prompt("1"));
    const early = recorder.toCassette();
    await recorder.turn(prompt("1", "2"));
    const late = recorder.toCassette();
    expect([early.signature?.sig === late.signature?.sig, late.entries.length]).toEqual([false, 2]);
    expect(verifyCassetteSignature(late, trustIn(first), { now: NOW }).kind).toBe("trusted");
  });

  it.each([
    ["a variable that is not set", { sign: "env:NOPE", env: {} }, "sign names the variable NOPE, which is not set"],
    [
      "a variable that is empty",
      { sign: "env:NOPE", env: { NOPE: "" } },
      "sign names the variable NOPE, which is not set",
    ],
    [
      "a name of the prototype",
      { sign: "env:toString", env: {} },
      "sign names the variable toString, which is not set",
    ],
    ["no environment", { sign: "env:NOPE" }, "sign names the variable NOPE, but no environment was passed"],
  ])("refuses %s before anything is asked", (_, options, summary) => {
    const error = refused(() => recordingProvider(scriptedProvider([]), options));
    expect([error.code, error.summary]).toEqual(["invalid-options", summary]);
  });

  it("cannot wait for a key that signs later, and says what can", async () => {
    const later = {
      publicKey: Buffer.from(first.publicKey, "base64"),
      sign: async () => Promise.reject(new Error("no")),
    };
    const error = (await rejection(record({ sign: later }))) as CassetteError;
    expect([error.code, error.hint]).toEqual([
      "invalid-options",
      "Remove sign, and call await signCassette(recorder.toCassette(), key).",
    ]);
  });
});
