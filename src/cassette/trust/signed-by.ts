// Finds who signed a cassette, by a list of trusted keys. It compares only the bytes of keys: anybody can write key ids into a cassette.

import {
  defined,
  fromBase64,
  keyIdOf,
  verifySignature,
  type DsseEnvelope,
  type DsseSignature,
} from "../../core/index.js";
import type { CassetteV2 } from "../file/format.js";
import { CASSETTE_PAYLOAD_TYPE, findSignatureFlaw, signedBytes, signedText } from "./signature.js";
import { decodeExact, validityAt, type Trust, type TrustedKey } from "./trust.js";

/** `unknown-key`: the signature is valid, but its key is not in the list. In an envelope: no listed key verifies it. */
export type SignatureStatus = "trusted" | "unknown-key" | "not-yet" | "expired";

export interface SignatureFinding {
  /** In the cassette itself, or in the envelope next to it. */
  where: "cassette" | "envelope";
  status: SignatureStatus;
  /** Computed from the key. For an unknown key of an envelope, the id in the envelope. */
  keyId: string;
  /** The name of the key in the trust list. */
  name?: string;
  /** The start (`not-yet`) or end (`expired`) of the key's period, as in the trust list. */
  bound?: string;
}

/** `trusted`: at least one signature is by a listed key within its period. */
export type SignatureVerdict =
  | { kind: "unsigned" }
  | { kind: "trusted" | "untrusted"; signatures: SignatureFinding[] }
  | { kind: "invalid"; what: string };

export interface JudgeOptions {
  /** Default: every key is unknown. */
  trust?: Trust;
  /** The verifier's clock, in milliseconds. */
  now: number;
  envelope?: DsseEnvelope;
}

/** Judges the signature of a loaded cassette and those in its envelope. Never throws. */
export function judgeSignatures(cassette: CassetteV2, { trust, now, envelope }: JudgeOptions): SignatureVerdict {
  const flaw = findSignatureFlaw(cassette) ?? (envelope && findEnvelopeFlaw(cassette, envelope));
  if (flaw !== undefined) return { kind: "invalid", what: flaw };
  const keys = (trust?.keys ?? []).map((key) => ({ key, bytes: decodeExact(key.publicKey, 32) ?? new Uint8Array() }));
  const signatures = (envelope?.signatures ?? []).map((signature) => judgeDetached(cassette, signature, keys, now));
  if (cassette.signature !== undefined) signatures.unshift(judgeOwn(cassette.signature.publicKey, keys, now));
  if (signatures.length === 0) return { kind: "unsigned" };
  const isTrusted = signatures.some(({ status }) => status === "trusted");
  return { kind: isTrusted ? "trusted" : "untrusted", signatures };
}

/** Describes one finding: who signed, and whether or why not that key is trusted. */
export function describeFinding({ keyId, name, status, bound }: SignatureFinding): string {
  const who = name === undefined ? `key ${keyId}` : `${name} (key ${keyId})`;
  switch (status) {
    case "trusted":
      return `${who} is trusted`;
    case "unknown-key":
      return `${who} is not in the trust list`;
    case "not-yet":
      return `${who} is not trusted yet${bound === undefined ? "" : `, only from ${bound}`}`;
    case "expired":
      return `the trust in ${who} has ended${bound === undefined ? "" : `, on ${bound}`}`;
  }
}

interface Candidate {
  key: TrustedKey;
  bytes: Uint8Array;
}

function findEnvelopeFlaw(cassette: CassetteV2, { payloadType, payload }: DsseEnvelope): string | undefined {
  if (payloadType !== CASSETTE_PAYLOAD_TYPE) {
    return `the envelope has payload type ${JSON.stringify(payloadType)}, not ${CASSETTE_PAYLOAD_TYPE}`;
  }
  const bytes = fromBase64(payload);
  if (bytes === undefined) return "the payload of the envelope is not base64";
  // Compared as text, since the payload is canonical.
  if (new TextDecoder().decode(bytes) === signedText(cassette)) return undefined;
  return "the payload of the envelope is not that of this cassette: the .dsse file next to it belongs to another recording, so delete it and sign again";
}

function judgeOwn(publicKey: string, keys: readonly Candidate[], now: number): SignatureFinding {
  const keyId = keyIdOf(decodeExact(publicKey, 32) as Uint8Array);
  const found = keys.find(({ key }) => key.publicKey === publicKey);
  return toFinding("cassette", found, keyId, now);
}

/** Tries every listed key, since the keyid may be missing or wrong. */
function judgeDetached(
  cassette: CassetteV2,
  { keyid, sig }: DsseSignature,
  keys: readonly Candidate[],
  now: number,
): SignatureFinding {
  const signature = fromBase64(sig) ?? new Uint8Array();
  const message = signedBytes(cassette);
  const found = keys.find(({ bytes }) => verifySignature(bytes, message, signature));
  return toFinding("envelope", found, found === undefined ? keyid : keyIdOf(found.bytes), now);
}

function toFinding(
  where: SignatureFinding["where"],
  found: Candidate | undefined,
  keyId: string,
  now: number,
): SignatureFinding {
  if (found === undefined) return { where, status: "unknown-key", keyId };
  const validity = validityAt(found.key, now);
  const { name, notBefore, notAfter } = found.key;
  const status: SignatureStatus = validity === "in-force" ? "trusted" : validity;
  const bound = { "in-force": undefined, "not-yet": notBefore, expired: notAfter }[validity];
  const known = { where, status, keyId, ...defined({ name }) };
  return bound === undefined ? known : { ...known, bound };
}
