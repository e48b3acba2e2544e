// Turns a cassette into evidence for supply-chain tools: an in-toto Statement (in-toto/attestation, spec/v1/statement.md) about the
// bytes of its file. Its Test Result predicate (spec/predicates/test-result.md, v0.1) lists the checks of the loader as tests.

import {
  canonicalize,
  preAuthEncode,
  sha256Hex,
  toBase64,
  toEnvelope,
  verifySignature,
  type DsseEnvelope,
  type SigningKey,
} from "../../core/index.js";
import { CREATED_WITH } from "../file/build.js";
import { CassetteError } from "../errors.js";
import type { CassetteV2 } from "../file/format.js";
import { parseCassette } from "./load-cassette.js";
import { resolveSigningKey } from "./sign.js";

export const STATEMENT_PAYLOAD_TYPE = "application/vnd.in-toto+json";

/** The in-toto v1 statement about one cassette. */
export interface CassetteStatement {
  _type: "https://in-toto.io/Statement/v1";
  subject: { name: string; digest: { sha256: string } }[];
  predicateType: "https://in-toto.io/attestation/test-result/v0.1";
  predicate: {
    result: "PASSED";
    configuration: { name: string; uri: string }[];
    passedTests: string[];
    warnedTests: string[];
    failedTests: string[];
    /** Our own extension. Consumers ignore fields that they do not know. */
    cassette: {
      version: 2;
      cassetteId: string;
      envelopeHash: string;
      turns: number;
      /** Present if there are any. */
      exchanges?: number;
      recordedAt: string;
      recordedProvider: string;
    };
  };
}

/**
 * Creates the statement about a cassette file. `name` is the subject's name, `file` the path in errors. Throws a `LoadErrorCode` for a
 * cassette that does not verify, and for version 1.
 */
export function attestCassette(bytes: Uint8Array, name: string, file = name): CassetteStatement {
  const cassette = parseCassette(bytes, { file, requireIntegrity: true }) as CassetteV2;
  const { version, cassetteId, envelopeHash, entries, recordedAt, recordedProvider } = cassette;
  const exchanges = cassette.extensions?.exchanges?.length ?? 0;
  const size = { turns: entries.length, ...(exchanges === 0 ? {} : { exchanges }) };
  const [tool = "", release = ""] = CREATED_WITH.split("/");
  return {
    _type: "https://in-toto.io/Statement/v1",
    subject: [{ name, digest: { sha256: sha256Hex(bytes) } }],
    predicateType: "https://in-toto.io/attestation/test-result/v0.1",
    predicate: {
      result: "PASSED",
      configuration: [{ name: "cassette verify", uri: `pkg:npm/${tool}@${release}` }],
      passedTests: passedTests(cassette),
      warnedTests: [],
      failedTests: [],
      cassette: { version, cassetteId, envelopeHash, ...size, recordedAt, recordedProvider },
    },
  };
}

/** Lists the checks that apply to this cassette. One without prompts has no prompt hashes, and one without turns no response hashes. */
function passedTests({ entries, signature }: CassetteV2): string[] {
  const hasPrompts = entries.some((entry) => entry.prompt !== undefined);
  return [
    "format",
    ...(hasPrompts ? ["prompt-hash"] : []),
    ...(entries.length > 0 ? ["response-hash"] : []),
    "envelope-hash",
    // Only a trust list could say who owns the key.
    ...(signature === undefined ? [] : ["signature-of-key-beside-it"]),
  ];
}

/** Signs a statement in a DSSE envelope. Throws `CassetteError` `invalid-options` for an invalid key. */
export async function signStatement(statement: CassetteStatement, key: SigningKey): Promise<DsseEnvelope> {
  const signer = resolveSigningKey(key);
  const { publicKey, keyId, isOwn } = signer;
  const text = canonicalize(statement);
  const message = preAuthEncode(STATEMENT_PAYLOAD_TYPE, new TextEncoder().encode(text));
  const sig = await signer.sign(message);
  if (!isOwn && !verifySignature(publicKey, message, sig)) {
    throw new CassetteError("invalid-options", "the signature of the signing key does not match its publicKey");
  }
  return toEnvelope(STATEMENT_PAYLOAD_TYPE, text, [{ keyid: keyId, sig: toBase64(sig) }]);
}
