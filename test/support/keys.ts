// Keys and signatures made only with node:crypto, so that these signatures are independent of our own code.

import { createHash, createPrivateKey, createPublicKey, sign, type KeyObject } from "node:crypto";
import type { CassetteSignature, CassetteV2 } from "../../src/cassette/file/format.js";
import type { Trust, TrustedKey } from "../../src/cassette/trust/trust.js";

export const PAYLOAD_TYPE = "application/vnd.playhead.cassette.v2+json";

export interface TestKey {
  readonly key: KeyObject;
  /** 64 hexadecimal digits, in the form that `sign` takes. */
  readonly seed: string;
  readonly pem: string;
  /** Base64. */
  readonly publicKey: string;
  readonly keyId: string;
}

/** A key whose seed is `byte`, 32 times. */
export function testKey(byte: number): TestKey {
  const seed = Buffer.alloc(32, byte);
  const der = Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]);
  const key = createPrivateKey({ key: der, format: "der", type: "pkcs8" });
  const raw = createPublicKey(key).export({ format: "der", type: "spki" }).subarray(12);
  return {
    key,
    seed: seed.toString("hex"),
    pem: key.export({ format: "pem", type: "pkcs8" }).toString(),
    publicKey: raw.toString("base64"),
    keyId: createHash("sha256").update(raw).digest("hex").slice(0, 16),
  };
}

export function trustIn(...keys: (TestKey & Partial<Pick<TrustedKey, "name" | "notBefore" | "notAfter">>)[]): Trust {
  return {
    keys: keys.map(({ keyId, publicKey, name, notBefore, notAfter }) => ({
      keyId,
      publicKey,
      ...(name === undefined ? {} : { name }),
      ...(notBefore === undefined ? {} : { notBefore }),
      ...(notAfter === undefined ? {} : { notAfter }),
    })),
  };
}

/** The bytes to sign, put together by hand from the text of DSSE's protocol. */
export function encodeByHand(type: string, payload: string): Buffer {
  return Buffer.from(`DSSEv1 ${Buffer.byteLength(type)} ${type} ${Buffer.byteLength(payload)} ${payload}`);
}

export function payloadByHand({ cassetteId, envelopeHash }: CassetteV2): string {
  return `{"cassetteId":"${cassetteId}","envelopeHash":"${envelopeHash}"}`;
}

/** A signature of `cassette` by node:crypto, or of another payload type or payload. */
export function signByHand(
  { key, keyId, publicKey }: TestKey,
  cassette: CassetteV2,
  { type = PAYLOAD_TYPE, payload = payloadByHand(cassette) } = {},
): CassetteSignature {
  const sig = sign(null, encodeByHand(type, payload), key).toString("base64");
  return { scheme: "ed25519-dsse", keyId, publicKey, sig };
}
