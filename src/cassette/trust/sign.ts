// Signs a cassette: inside it, in the envelope next to it, or during recording. Only a cassette that verifies can be signed.

import {
  AgentError,
  defined,
  readSigningKey,
  systemPorts,
  toBase64,
  toEnvelope,
  verifySignature,
  type DsseEnvelope,
  type ReadKey,
  type SigningKey,
} from "../../core/index.js";
import { CassetteError } from "../errors.js";
import type { Cassette, CassetteSignature, CassetteV2 } from "../file/format.js";
import { checkCassette } from "./load-cassette.js";
import { CASSETTE_PAYLOAD_TYPE, signedBytes, signedText } from "./signature.js";
import { judgeSignatures, type SignatureVerdict } from "./signed-by.js";
import { checkTrust, type Trust } from "./trust.js";

/** The environment variables for `env:NAME`. */
export type SigningEnvironment = Readonly<Record<string, string | undefined>>;

/** Reads the key, also from `env:NAME`. Throws `CassetteError` `invalid-options`, which never contains any part of a key. */
export function resolveSigningKey(sign: SigningKey, env?: SigningEnvironment): ReadKey {
  try {
    return readSigningKey(typeof sign === "string" && sign.startsWith("env:") ? fromEnvironment(sign, env) : sign);
  } catch (error) {
    if (!(error instanceof AgentError)) throw error;
    const { message, hint } = error;
    throw new CassetteError("invalid-options", message, { ...defined({ hint }), cause: error });
  }
}

function fromEnvironment(sign: string, env: SigningEnvironment | undefined): string {
  const name = sign.slice("env:".length);
  const value = env !== undefined && Object.hasOwn(env, name) ? env[name] : undefined;
  if (value !== undefined && value !== "") return value;
  const why = env === undefined ? "but no environment was passed" : "which is not set";
  throw new CassetteError("invalid-options", `sign names the variable ${name}, ${why}`, {
    hint: "Set it to the text of a PEM file or a 32-byte seed, or pass env, or pass the key itself.",
  });
}

/**
 * Returns a copy of `cassette` with a signature in it. Throws `CassetteError`: a `LoadErrorCode` if the cassette does not verify,
 * `already-signed`, or `invalid-options` for the key.
 */
export async function signCassette(cassette: Cassette, key: SigningKey): Promise<CassetteV2> {
  const checked = assertSignable(cassette);
  if (checked.signature !== undefined) {
    throw new CassetteError("already-signed", `the cassette is already signed by key ${checked.signature.keyId}`, {
      hint: "A cassette has room for one signature. Put further ones into an envelope (addSignature).",
    });
  }
  const signer = resolveSigningKey(key);
  return { ...checked, signature: toSignature(signer, checked, await signer.sign(signedBytes(checked))) };
}

/** Signs synchronously, for a recorder. Throws `invalid-options` for a key whose `sign` returns a promise. */
export function signNow(cassette: CassetteV2, signer: ReadKey): CassetteV2 {
  const sig = signer.sign(signedBytes(cassette));
  if (sig instanceof Uint8Array) return { ...cassette, signature: toSignature(signer, cassette, sig) };
  // Nothing awaits this promise, so its rejection must not end the process.
  void Promise.resolve(sig).catch(() => undefined);
  throw new CassetteError(
    "invalid-options",
    "sign() of the signing key is asynchronous, and a recorder needs a synchronous one",
    {
      hint: "Remove sign, and call await signCassette(recorder.toCassette(), key).",
    },
  );
}

/**
 * Adds a signature to the envelope, or creates one. Signing twice with a key changes nothing. Throws a `LoadErrorCode`,
 * `signature-invalid` or `invalid-options`.
 */
export async function addSignature(
  cassette: Cassette,
  key: SigningKey,
  envelope?: DsseEnvelope,
): Promise<DsseEnvelope> {
  const checked = assertSignable(cassette);
  const signer = resolveSigningKey(key);
  const { sig, keyId } = toSignature(signer, checked, await signer.sign(signedBytes(checked)));
  const before = envelope === undefined ? [] : assertOfThis(checked, envelope).signatures;
  // Ed25519 is deterministic, so one key has one signature of one cassette.
  if (before.some((other) => other.sig === sig)) return toEnvelope(CASSETTE_PAYLOAD_TYPE, signedText(checked), before);
  return toEnvelope(CASSETTE_PAYLOAD_TYPE, signedText(checked), [...before, { keyid: keyId, sig }]);
}

export interface VerifySignatureOptions {
  /** Current time in milliseconds since the Unix epoch. Default: the system's clock. */
  readonly now?: number;
  /** The envelope with further signatures. */
  readonly envelope?: DsseEnvelope;
}

/**
 * Reports who signed `cassette`, by a list of trusted keys. Throws `CassetteError`: a `LoadErrorCode` for a cassette that does not load,
 * and `trust-malformed`.
 */
export function verifyCassetteSignature(
  cassette: Cassette,
  trust: Trust,
  options: VerifySignatureOptions = {},
): SignatureVerdict {
  const { now = systemPorts.now(), envelope } = options;
  const checked = checkCassette(cassette, { ports: { warn: () => undefined } });
  if (checked.version === 1) return { kind: "unsigned" };
  return judgeSignatures(checked, { trust: checkTrust(trust), now, ...defined({ envelope }) });
}

function assertSignable(cassette: Cassette): CassetteV2 {
  return checkCassette(cassette, { requireIntegrity: true }) as CassetteV2;
}

function assertOfThis(cassette: CassetteV2, envelope: DsseEnvelope): DsseEnvelope {
  const verdict = judgeSignatures(cassette, { now: 0, envelope });
  if (verdict.kind !== "invalid") return envelope;
  throw new CassetteError("signature-invalid", verdict.what, {
    hint: "Remove the envelope and sign again. It belongs to another cassette, or to an earlier version of this one.",
  });
}

/** Verifies the signature, since a key may sign in another process or device. */
function toSignature(signer: ReadKey, cassette: CassetteV2, sig: Uint8Array): CassetteSignature {
  const { publicKey, keyId } = signer;
  if (!signer.isOwn && !(sig instanceof Uint8Array && verifySignature(publicKey, signedBytes(cassette), sig))) {
    throw new CassetteError("invalid-options", "the signature of the signing key does not match its publicKey", {
      hint: "sign(message) must return the 64 bytes of an Ed25519 signature over the message itself, not over its digest.",
    });
  }
  return { scheme: "ed25519-dsse", keyId, publicKey: toBase64(publicKey), sig: toBase64(sig) };
}
