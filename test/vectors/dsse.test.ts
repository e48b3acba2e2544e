// Vectors: the pre-authentication encoding of secure-systems-lab/dsse, protocol.md; RFC 8032 section 7.1 for keys; and forged
// signatures that a lax Ed25519 takes, put into a cassette.

import { describe, expect, it } from "vitest";
import type { CassetteError } from "../../src/cassette/errors.js";
import { checkCassette } from "../../src/cassette/trust/load-cassette.js";
import { signCassette, verifyCassetteSignature } from "../../src/cassette/trust/sign.js";
import { preAuthEncode } from "../../src/core/canon/dsse.js";
import { encodeByHand, PAYLOAD_TYPE, payloadByHand, signByHand, testKey, trustIn } from "../support/keys.js";
import { weatherCassette } from "../support/recording.js";
import { refusal } from "../support/refusal.js";
import { hasShared, readShared } from "../support/shared.js";

const plain = await weatherCassette();

describe("the DSSE encoding", () => {
  const encode = (type: string, payload: string) => Buffer.from(preAuthEncode(type, Buffer.from(payload))).toString();

  it("is that of the protocol's example", () => {
    expect(encode("http://example.com/HelloWorld", "hello world")).toBe(
      "DSSEv1 29 http://example.com/HelloWorld 11 hello world",
    );
  });

  it("counts bytes, not characters, and takes an empty payload", () => {
    expect(encode("é", "日本")).toBe("DSSEv1 2 é 6 日本");
    expect(encode("", "")).toBe("DSSEv1 0  0 ");
    expect(encode("a b", " ")).toBe(encodeByHand("a b", " ").toString());
  });

  it("is, for a cassette, these bytes", () => {
    expect(PAYLOAD_TYPE).toHaveLength(41);
    expect(payloadByHand(plain)).toHaveLength(131);
    expect(encode(PAYLOAD_TYPE, payloadByHand(plain))).toBe(
      `DSSEv1 41 application/vnd.playhead.cassette.v2+json 131 ${payloadByHand(plain)}`,
    );
  });
});

describe.skipIf(!hasShared)("the keys of RFC 8032", () => {
  const vectors = hasShared
    ? (JSON.parse(readShared("data/vectors/ed25519/rfc8032.json")) as { priv: string; pub: string }[])
    : [];

  it.each(vectors.map(({ priv, pub }) => [pub, priv] as const))("sign a cassette under %s", async (pub, priv) => {
    const signed = await signCassette(plain, priv.slice(0, 64));
    const publicKey = Buffer.from(pub, "hex").toString("base64");
    expect(signed.signature?.publicKey).toBe(publicKey);
    expect(verifyCassetteSignature(signed, { keys: [{ keyId: "rfc", publicKey }] }).kind).toBe("trusted");
  });
});

describe("a forged signature", () => {
  const codeOf = (publicKey: Buffer, sig: Buffer) => {
    const signature = { scheme: "ed25519-dsse", keyId: "x", publicKey: publicKey.toString("base64"), sig: sig.toString("base64") };
    return (refusal(() => checkCassette({ ...plain, signature })) as CassetteError).code;
  };

  it("under a key of small order, which holds for every message in a lax verifier, is refused", () => {
    const neutral = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]);
    for (const key of [neutral, Buffer.alloc(32), Buffer.concat([Buffer.from([1]), Buffer.alloc(30), Buffer.from([0x80])])]) {
      expect(codeOf(key, Buffer.concat([neutral, Buffer.alloc(32)]))).toBe("signature-invalid");
    }
  });

  it("with S + L in the place of S, a second spelling of a good one, is refused", () => {
    const key = testKey(1);
    const good = Buffer.from(signByHand(key, plain).sig, "base64");
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const scalar = BigInt(`0x${Buffer.from(good.subarray(32)).reverse().toString("hex")}`) + order;
    const more = Buffer.from(scalar.toString(16).padStart(64, "0"), "hex").reverse();
    expect(codeOf(Buffer.from(key.publicKey, "base64"), Buffer.concat([good.subarray(0, 32), more]))).toBe("signature-invalid");
  });

  it("in an envelope under a trusted key of small order counts for nothing", () => {
    const neutral = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]);
    const trust = trustIn({ ...testKey(1), publicKey: neutral.toString("base64") });
    const envelope = {
      payloadType: PAYLOAD_TYPE,
      payload: Buffer.from(payloadByHand(plain)).toString("base64"),
      signatures: [{ keyid: "", sig: Buffer.concat([neutral, Buffer.alloc(32)]).toString("base64") }],
    };
    expect(verifyCassetteSignature(plain, trust, { envelope }).kind).toBe("untrusted");
  });
});
