// The signature of a cassette: Ed25519 (RFC 8032) over the DSSE pre-authentication encoding of the canonical text of
// {cassetteId, envelopeHash}. The envelope hash covers the rest. Specification: docs/cassette-format.md.

import { canonicalize, preAuthEncode, verifySignature } from "../../core/index.js";
import type { CassetteV2 } from "../file/format.js";
import { decodeExact } from "./trust.js";

export const CASSETTE_PAYLOAD_TYPE = "application/vnd.playhead.cassette.v2+json";

type Identity = Pick<CassetteV2, "cassetteId" | "envelopeHash">;

const encoder = new TextEncoder();

/** Returns the payload of a signature: a text that identifies one cassette with all its content. */
export function signedText({ cassetteId, envelopeHash }: Identity): string {
  return canonicalize({ cassetteId, envelopeHash });
}

export function signedBytes(cassette: Identity): Uint8Array {
  return preAuthEncode(CASSETTE_PAYLOAD_TYPE, encoder.encode(signedText(cassette)));
}

/** Describes the flaw of a cassette's signature. Undefined if its own key verifies it, or if the cassette is unsigned. */
export function findSignatureFlaw(cassette: CassetteV2): string | undefined {
  const { signature } = cassette;
  if (signature === undefined) return undefined;
  const publicKey = decodeExact(signature.publicKey, 32);
  if (publicKey === undefined) return "its publicKey is not 32 bytes in base64";
  const sig = decodeExact(signature.sig, 64);
  if (sig === undefined) return "its sig is not 64 bytes in base64";
  if (verifySignature(publicKey, signedBytes(cassette), sig)) return undefined;
  return "it was not made over this cassetteId and envelopeHash by its publicKey";
}
