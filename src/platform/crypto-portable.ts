// SHA-256 and Ed25519 by @noble/hashes and @noble/ed25519, for runtimes without node:crypto. Chosen by the default
// condition of `#crypto` in package.json.

import * as ed25519 from "@noble/ed25519";
import { sha256, sha512 } from "@noble/hashes/sha2.js";
import { bytesToHex } from "@noble/hashes/utils.js";
import type { Sha256, Signer } from "./contract.js";

export type { Sha256, Signer } from "./contract.js";

ed25519.hashes.sha512 = sha512;

const encoder = new TextEncoder();

export function sha256Hex(input: string | Uint8Array): string {
  return bytesToHex(sha256(typeof input === "string" ? encoder.encode(input) : input));
}

export function createSha256(): Sha256 {
  return wrap(sha256.create());
}

function wrap(hash: ReturnType<typeof sha256.create>): Sha256 {
  const running: Sha256 = {
    update(text) {
      hash.update(encoder.encode(text));
      return running;
    },
    copy: () => wrap(hash.clone()),
    digest: () => bytesToHex(hash.digest()),
  };
  return running;
}

/** A signer from a 32-byte seed. Throws RangeError for another length. */
export function createSigner(seed: Uint8Array): Signer {
  if (seed.length !== 32) throw new RangeError(`an Ed25519 seed has 32 bytes, not ${seed.length}`);
  const key = Uint8Array.from(seed);
  return {
    publicKey: ed25519.getPublicKey(key),
    sign: (message) => ed25519.sign(message, key),
  };
}

/** True when `signature` (64 bytes) of `message` was made by the owner of `publicKey` (32 bytes). Never throws. */
export function verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== 32 || signature.length !== 64) return false;
  try {
    // Strict encodings and no keys of small order; the library's default is the laxer ZIP-215.
    return ed25519.verify(signature, message, publicKey, { zip215: false });
  } catch {
    return false;
  }
}
