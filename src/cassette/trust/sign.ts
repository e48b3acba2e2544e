// Signs a cassette: in it, in the envelope beside it, or while it is recorded. Only what verifies is signed.

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

/** The variables that `env:NAME` is looked up in. */
export type SigningEnvironment = Readonly<Record<string, string | undefined>>;

/** The key itself, or the one of `env:NAME`. Throws `CassetteError` `invalid-options`, which repeats nothing of a key. */
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
  const why = env === undefined ? "but no environment was handed in" : "which is not set";
  throw new CassetteError("invalid-options", `sign names the variable ${name}, ${why}`, {
    hint: "Set it to the text of a PEM file or a seed of 32 bytes, or pass env, or pass the key itself.",
  });
}

/** A copy of `cassette` with a signature in it. Throws a `LoadErrorCode` for what does not verify, and `already-signed`. */
export async function signCassette(cassette: Cassette, key: SigningKey): Promise<CassetteV2> {
  const checked = assertSignable(cassette);
  if (checked.signature !== undefined) {
    throw new CassetteError("already-signed", `the cassette is signed by key ${checked.signature.keyId} already`, {
      hint: "A cassette has room for one signature; further ones go into an envelope (addSignature).",
    });
  }
  const signer = resolveSigningKey(key);
  return { ...checked, signature: toSignature(signer, checked, await signer.sign(signedBytes(checked))) };
}

/** The signature of a recorder, which cannot wait. Throws `invalid-options` for a key whose `sign` gives a promise. */
export function signNow(cassette: CassetteV2, signer: ReadKey): CassetteV2 {
  const sig = signer.sign(signedBytes(cassette));
  if (sig instanceof Uint8Array) return { ...cassette, signature: toSignature(signer, cassette, sig) };
  // Nobody waits for it, so its failure must not end the process.
  void Promise.resolve(sig).catch(() => undefined);
  throw new CassetteError(
    "invalid-options",
    "sign() of the signing key is asynchronous, and a recorder needs a synchronous one",
    {
      hint: "Leave out sign, and call await signCassette(recorder.toCassette(), key).",
    },
  );
}

/** Adds a signature to the envelope, or makes one; twice changes nothing. Throws a `LoadErrorCode`, `signature-invalid`, `invalid-options`. */
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
  /** Milliseconds; default the system's clock. */
  readonly now?: number;
  /** Further signatures. */
  readonly envelope?: DsseEnvelope;
}

/** Who signed `cassette`, by a list of trusted keys. Throws a `LoadErrorCode` for a cassette that does not load, and `trust-malformed`. */
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
    hint: "Remove the envelope and sign again: it belongs to another cassette, or to this one before it changed.",
  });
}

/** A key that signs elsewhere is held to its public key. */
function toSignature(signer: ReadKey, cassette: CassetteV2, sig: Uint8Array): CassetteSignature {
  const { publicKey, keyId } = signer;
  if (!signer.isOwn && !(sig instanceof Uint8Array && verifySignature(publicKey, signedBytes(cassette), sig))) {
    throw new CassetteError("invalid-options", "the signing key gave a signature that its publicKey does not verify", {
      hint: "sign(message) gives the 64 bytes of an Ed25519 signature of the message as it is, not of a digest of it.",
    });
  }
  return { scheme: "ed25519-dsse", keyId, publicKey: toBase64(publicKey), sig: toBase64(sig) };
}
