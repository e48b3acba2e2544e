// Ed25519 keys as users hold them: PEM files (RFC 7468, RFC 8410), hexadecimal, base64, raw bytes, or an object that signs elsewhere.
// Keys are secrets, so no message repeats any part of them.

import { invalidOptions } from "../errors.js";
import { fromBase64, fromHex, toHex } from "./bytes.js";
import { sha256Hex } from "./digest.js";
import { createSigner, type Signer } from "./signature.js";

/** A key that signs elsewhere: in a key management service, an agent or a token. */
export interface SigningKeyObject {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** The 64-byte Ed25519 signature (RFC 8032, PureEdDSA) of `message`. */
  sign(message: Uint8Array): Uint8Array | Promise<Uint8Array>;
}

/** A private Ed25519 key: PKCS#8 PEM text; a 32-byte seed, raw, as 64 hex digits, base64 or base64url; or an object that signs elsewhere. */
export type SigningKey = string | Uint8Array | SigningKeyObject;

export interface ReadKey extends SigningKeyObject {
  readonly keyId: string;
  /** True if the signature is our own and needs no check. */
  readonly isOwn: boolean;
}

// RFC 8410 §7 (PKCS#8 version 1, no attributes) and §4: the fixed DER around the 32 bytes.
const PRIVATE_PREFIX = "302e020100300506032b657004220420";
const PUBLIC_PREFIX = "302a300506032b6570032100";

const SIGNING_HINT =
  "Pass the text of a PKCS#8 PEM file of an Ed25519 key (openssl genpkey -algorithm ed25519), a seed of 32 bytes as hexadecimal, base64 or a Uint8Array, or { publicKey, sign }.";
const PUBLIC_HINT =
  "Pass the text of a PEM file (openssl pkey -in key.pem -pubout), or the 32 bytes as hexadecimal, base64 or a Uint8Array.";

/** Reads a signing key. Throws `AgentError` `invalid-options` for a wrong one, without repeating it. */
export function readSigningKey(key: SigningKey): ReadKey {
  if (typeof key === "string") return ownKey(parseText(key, PRIVATE));
  if (key instanceof Uint8Array) return ownKey(assertLength(key, PRIVATE));
  if (typeof key !== "object" || key === null || typeof key.sign !== "function" || !isKeyBytes(key.publicKey)) {
    throw invalidOptions(
      "the signing key must be an object with a publicKey of 32 bytes and a sign function",
      SIGNING_HINT,
    );
  }
  const publicKey = Uint8Array.from(key.publicKey);
  return { publicKey, keyId: keyIdOf(publicKey), isOwn: false, sign: (message) => key.sign(message) };
}

/** The 32 bytes of a public key. Throws `AgentError` `invalid-options` for a wrong one. */
export function readPublicKey(key: string | Uint8Array): Uint8Array {
  if (typeof key === "string") return parseText(key, PUBLIC);
  if (key instanceof Uint8Array) return Uint8Array.from(assertLength(key, PUBLIC));
  throw invalidOptions("the public key must be text or bytes", PUBLIC_HINT);
}

/** A short name for finding a public key: the first 16 hexadecimal digits of the SHA-256 of its 32 bytes. */
export function keyIdOf(publicKey: Uint8Array): string {
  return sha256Hex(publicKey).slice(0, 16);
}

interface Kind {
  readonly name: string;
  readonly label: string;
  readonly prefix: string;
  readonly hint: string;
}

const PRIVATE: Kind = { name: "signing key", label: "PRIVATE KEY", prefix: PRIVATE_PREFIX, hint: SIGNING_HINT };
const PUBLIC: Kind = { name: "public key", label: "PUBLIC KEY", prefix: PUBLIC_PREFIX, hint: PUBLIC_HINT };

/** Imports the key once, at its first use: that takes as long as four signatures (measured). */
function ownKey(seed: Uint8Array): ReadKey {
  const own = Uint8Array.from(seed);
  let signer: Signer | undefined;
  let keyId: string | undefined;
  const open = (): Signer => (signer ??= createSigner(own));
  return {
    get publicKey() {
      return open().publicKey;
    },
    get keyId() {
      return (keyId ??= keyIdOf(open().publicKey));
    },
    isOwn: true,
    sign: (message) => open().sign(message),
  };
}

function parseText(text: string, kind: Kind): Uint8Array {
  const trimmed = text.trim();
  if (trimmed.includes("-----")) return parsePem(trimmed, kind);
  const bytes = /^[0-9a-fA-F]{64}$/.test(trimmed) ? fromHex(trimmed) : fromBase64(trimmed);
  if (bytes?.length === 32) return bytes;
  throw invalidOptions(
    `the ${kind.name} is a text of ${trimmed.length} characters, which must encode 32 bytes`,
    kind.hint,
  );
}

function parsePem(text: string, kind: Kind): Uint8Array {
  const match = /^-----BEGIN ([A-Z0-9 ]{1,40})-----\r?\n([A-Za-z0-9+/=\r\n]*)-----END \1-----$/.exec(text);
  const [, label = "", body = ""] = match ?? [];
  if (match === null) throw invalidOptions(`the ${kind.name} must be one complete PEM block`, kind.hint);
  if (label !== kind.label)
    throw invalidOptions(`the ${kind.name} must be a PEM block of type ${kind.label}, not ${label}`, kind.hint);
  const der = fromBase64(body.replaceAll(/[\r\n]/g, ""));
  const hex = der === undefined ? "" : toHex(der);
  if (!hex.startsWith(kind.prefix) || hex.length !== kind.prefix.length + 64) {
    throw invalidOptions(`the ${kind.name} must be a PEM block with an Ed25519 key and no attributes`, kind.hint);
  }
  return fromHex(hex.slice(kind.prefix.length)) as Uint8Array;
}

function assertLength(bytes: Uint8Array, { name, hint }: Kind): Uint8Array {
  if (bytes.length === 32) return bytes;
  throw invalidOptions(`the ${name} must have 32 bytes, not ${bytes.length}`, hint);
}

function isKeyBytes(value: unknown): value is Uint8Array {
  return value instanceof Uint8Array && value.length === 32;
}
