// SHA-256 and Ed25519 by node:crypto. Chosen by the `node` condition of `#crypto` in package.json.

import {
  createHash,
  createPrivateKey,
  createPublicKey,
  hash,
  sign,
  verify,
  type Hash,
  type KeyObject,
} from "node:crypto";
import type { Sha256, Signer } from "./contract.js";

export type { Sha256, Signer } from "./contract.js";

// RFC 8410 §7 and §4: the DER bytes around a raw Ed25519 private seed and public key.
const PRIVATE_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");
const PUBLIC_PREFIX = Buffer.from("302a300506032b6570032100", "hex");

// The y coordinates, sign bit cleared, of the points whose order is 8 or less, not reduced ones included. Under such a key
// anybody can make a signature; OpenSSL verifies it all the same, @noble/ed25519 does not.
const SMALL_ORDER: ReadonlySet<string> = new Set([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]);

export function sha256Hex(input: string | Uint8Array): string {
  // In one step, without the object: three quarters of the time (measured).
  return hash("sha256", input, "hex");
}

export function createSha256(): Sha256 {
  return new Running(createHash("sha256"));
}

class Running implements Sha256 {
  readonly #state: Hash;

  constructor(state: Hash) {
    this.#state = state;
  }

  update(text: string): Sha256 {
    this.#state.update(text, "utf8");
    return this;
  }

  copy(): Sha256 {
    return new Running(this.#state.copy());
  }

  digest(): string {
    return this.#state.digest("hex");
  }
}

/** A signer from a 32-byte seed. Throws RangeError for another length. */
export function createSigner(seed: Uint8Array): Signer {
  if (seed.length !== 32) throw new RangeError(`an Ed25519 seed has 32 bytes, not ${seed.length}`);
  const key = createPrivateKey({ key: Buffer.concat([PRIVATE_PREFIX, seed]), format: "der", type: "pkcs8" });
  const spki = createPublicKey(key).export({ format: "der", type: "spki" });
  return {
    publicKey: new Uint8Array(spki.subarray(PUBLIC_PREFIX.length)),
    sign: (message) => new Uint8Array(sign(null, message, key)),
  };
}

/** True when `signature` (64 bytes) of `message` was made by the owner of `publicKey` (32 bytes). Never throws. */
export function verifySignature(publicKey: Uint8Array, message: Uint8Array, signature: Uint8Array): boolean {
  if (publicKey.length !== 32 || signature.length !== 64 || isSmallOrder(publicKey)) return false;
  try {
    return verify(null, message, importPublicKey(publicKey), signature);
  } catch {
    return false;
  }
}

function isSmallOrder(publicKey: Uint8Array): boolean {
  const y = Buffer.from(publicKey);
  y.writeUInt8(y.readUInt8(31) & 0x7f, 31);
  return SMALL_ORDER.has(y.toString("hex"));
}

function importPublicKey(publicKey: Uint8Array): KeyObject {
  return createPublicKey({ key: Buffer.concat([PUBLIC_PREFIX, publicKey]), format: "der", type: "spki" });
}
