// Ed25519 signatures by @noble/ed25519 over the DSSE pre-authentication encoding, as docs/cassette-format.md defines it.

import * as ed25519 from "@noble/ed25519";
import { sha512 } from "@noble/hashes/sha2.js";
import { concatBytes, utf8ToBytes } from "@noble/hashes/utils.js";
import { canonicalText } from "./canonical.js";
import { readJson, isRecord, type Fields } from "./json.js";
import type { Tally } from "./tally.js";

ed25519.hashes.sha512 = sha512;

const PAYLOAD_TYPE = "application/vnd.playhead.cassette.v2+json";

/** Verifies the signature inside a cassette, if there is one, with the key next to it. */
export function recomputeSignature(cassette: Fields, tally: Tally): void {
  const { signature } = cassette;
  if (signature === undefined) return;
  const { publicKey, sig } = isRecord(signature) ? signature : {};
  if (verify(publicKey, messageOf(cassette), sig)) tally.signatures++;
  else tally.disagree("/signature", "the signature does not verify with its publicKey");
}

/** Verifies the signatures of a `.dsse` file next to a cassette with the given keys (base64), and returns how many hold. */
export function recomputeEnvelope(cassette: Fields, bytes: Uint8Array, keys: readonly string[], tally: Tally): number {
  const read = readJson(bytes);
  const envelope = "value" in read && isRecord(read.value) ? read.value : {};
  const { payloadType, payload, signatures } = envelope;
  const isOurs = payloadType === PAYLOAD_TYPE && decode(payload)?.equals(Buffer.from(payloadOf(cassette))) === true;
  if (!isOurs || !Array.isArray(signatures)) {
    tally.disagree("", "the .dsse file next to the cassette does not contain the payload of this cassette");
    return 0;
  }
  const message = messageOf(cassette);
  const holding = signatures.filter(
    (item) => isRecord(item) && keys.some((key) => verify(key, message, item["sig"])),
  ).length;
  tally.signatures += holding;
  tally.leaveOut("further signatures by keys that are not in the trust file", signatures.length - holding);
  return holding;
}

function payloadOf({ cassetteId, envelopeHash }: Fields): string {
  return canonicalText({ cassetteId, envelopeHash });
}

/** `PAE(type, payload)` of DSSE 1.0.0. */
function messageOf(cassette: Fields): Uint8Array {
  const [type, payload] = [utf8ToBytes(PAYLOAD_TYPE), utf8ToBytes(payloadOf(cassette))];
  return concatBytes(utf8ToBytes(`DSSEv1 ${type.length} ${PAYLOAD_TYPE} ${payload.length} `), payload);
}

function verify(publicKey: unknown, message: Uint8Array, sig: unknown): boolean {
  const [key, signature] = [decode(publicKey), decode(sig)];
  if (key?.length !== 32 || signature?.length !== 64) return false;
  try {
    // Strict RFC 8032. Without the option, the library follows ZIP-215, which accepts more.
    return ed25519.verify(new Uint8Array(signature), message, new Uint8Array(key), { zip215: false });
  } catch {
    return false;
  }
}

/** The bytes of padded base64. Undefined for anything else, even another spelling of the same bytes. */
function decode(text: unknown): Buffer | undefined {
  if (typeof text !== "string") return undefined;
  const bytes = Buffer.from(text, "base64");
  return bytes.toString("base64") === text ? bytes : undefined;
}
