// Records why a baseline holds each cassette: one JSON line with a reason and an optional DSSE signature. See docs/drift.md.

import {
  canonicalize,
  defined,
  fromBase64,
  isPlainObject,
  keyIdOf,
  preAuthEncode,
  toBase64,
  verifySignature,
  type SigningKey,
} from "../../core/index.js";
import { CassetteError } from "../errors.js";
import { parseStrictJson } from "../file/json.js";
import { isLockPath } from "./lock.js";
import { resolveSigningKey } from "./sign.js";
import { validityAt, type Trust } from "./trust.js";

/** The file in the baseline's folder that holds the lines. */
export const ACCEPTED_FILE = "accepted.jsonl";

export const ACCEPTANCE_PAYLOAD_TYPE = "application/vnd.playhead.acceptance.v1+json";

/** The record that one cassette was accepted into a baseline. */
export interface Acceptance {
  /** Path relative to the baseline's folder, with `/`. */
  path: string;
  cassetteId: string;
  envelopeHash: string;
  reason: string;
  /** ISO 8601, by the clock of the person or job that accepted it. */
  acceptedAt: string;
  signature?: { keyId: string; publicKey: string; sig: string };
}

/** How an acceptance is signed. `trusted` needs a trust list. */
export type AcceptanceProof = "unsigned" | "invalid" | "unknown-key" | "trusted";

const FIELDS = ["path", "cassetteId", "envelopeHash", "reason", "acceptedAt", "signature"];
const HINT = "Restore the file from version control. Only cassette bless writes its lines.";

/** Returns the acceptance with a signature over its other fields. Throws `CassetteError` `invalid-options` for an invalid key. */
export async function signAcceptance(acceptance: Acceptance, key: SigningKey): Promise<Acceptance> {
  const { signature: _signature, ...signed } = acceptance;
  const signer = resolveSigningKey(key);
  const sig = await signer.sign(bytesOf(signed));
  const publicKey = toBase64(signer.publicKey);
  return { ...signed, signature: { keyId: signer.keyId, publicKey, sig: toBase64(sig) } };
}

export function formatAcceptance(acceptance: Acceptance): string {
  return `${canonicalize(acceptance)}\n`;
}

/** Parses all lines. Throws `CassetteError`: `acceptance-malformed`, or the code of the error in a line's JSON. */
export function parseAcceptances(text: string, file?: string): Acceptance[] {
  return text
    .split("\n")
    .map((line, index) => ({ line, number: index + 1 }))
    .filter(({ line }) => line.trim() !== "")
    .map(({ line, number }) => parseLine(line, number, file));
}

/** Verifies the signature of an acceptance. `now` is in milliseconds since the Unix epoch. */
export function proofOf(acceptance: Acceptance, now: number, trust?: Trust): AcceptanceProof {
  const { signature, ...signed } = acceptance;
  if (signature === undefined) return "unsigned";
  const [publicKey, sig] = [fromBase64(signature.publicKey), fromBase64(signature.sig)];
  if (publicKey?.length !== 32 || sig?.length !== 64) return "invalid";
  if (keyIdOf(publicKey) !== signature.keyId || !verifySignature(publicKey, bytesOf(signed), sig)) return "invalid";
  const known = trust?.keys.find((key) => key.publicKey === signature.publicKey);
  return known !== undefined && validityAt(known, now) === "in-force" ? "trusted" : "unknown-key";
}

function bytesOf(signed: Omit<Acceptance, "signature">): Uint8Array {
  return preAuthEncode(ACCEPTANCE_PAYLOAD_TYPE, new TextEncoder().encode(canonicalize(signed)));
}

function parseLine(line: string, number: number, file: string | undefined): Acceptance {
  const place = defined({ file });
  const refuse = (what: string): never => {
    throw new CassetteError("acceptance-malformed", `line ${number} ${what}`, { hint: HINT, ...place });
  };
  const value = parseStrictJson(line, place);
  if (!isPlainObject(value)) return refuse("is not an object");
  const unknown = Object.keys(value).find((key) => !FIELDS.includes(key));
  if (unknown !== undefined) return refuse(`has an unknown field: ${JSON.stringify(unknown)}`);
  const texts = FIELDS.slice(0, 5).map((field) => value[field]);
  if (texts.some((text) => typeof text !== "string")) return refuse("lacks a required text field");
  if (!isLockPath(value["path"] as string)) return refuse(`has an invalid path: ${JSON.stringify(value["path"])}`);
  const { signature } = value;
  if (signature !== undefined && !isSignature(signature)) return refuse("has a malformed signature");
  return value as unknown as Acceptance;
}

function isSignature(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  return (
    ["keyId", "publicKey", "sig"].every((key) => typeof value[key] === "string") && Object.keys(value).length === 3
  );
}
