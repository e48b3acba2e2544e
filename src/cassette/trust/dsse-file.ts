// Holds further signatures of a cassette, which itself has room for one: a DSSE envelope, `<name>.cassette.json.dsse`, without keys.

import { defined, isPlainObject, type DsseEnvelope, type DsseSignature, type FilePort } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import { parseStrictJson } from "../file/json.js";
import { readWhole } from "../file/read-bytes.js";
import { MAX_ENVELOPE_BYTES, MAX_SIGNATURES } from "../limits.js";

export const ENVELOPE_SUFFIX = ".dsse";

/** Reads an envelope. Unknown fields are ignored, as envelope.md of DSSE requires. Throws {@link CassetteError} `signature-invalid`. */
export function parseEnvelope(input: string | Uint8Array, { file }: { file?: string } = {}): DsseEnvelope {
  const refuse = (what: string): never => {
    const hint = "Restore it from version control, or remove it and sign again.";
    throw new CassetteError("signature-invalid", `the envelope of signatures ${what}`, { hint, ...defined({ file }) });
  };
  const value = parseStrictJson(input, { maxBytes: MAX_ENVELOPE_BYTES, ...defined({ file }) });
  if (!isPlainObject(value)) return refuse("is not an object");
  const { payloadType, payload, signatures } = value;
  if (typeof payloadType !== "string") return refuse("has no payloadType");
  if (typeof payload !== "string") return refuse("has no payload");
  if (!Array.isArray(signatures)) return refuse("has no list of signatures");
  if (signatures.length === 0) return refuse("must hold at least one signature");
  if (signatures.length > MAX_SIGNATURES) return refuse(`holds more than ${MAX_SIGNATURES} signatures`);
  const read = signatures.map((signature: unknown): DsseSignature => {
    if (!isPlainObject(signature)) return refuse("has a signature that is not an object");
    const { keyid = "", sig } = signature;
    if (typeof sig !== "string" || typeof keyid !== "string")
      return refuse("has a signature without a sig, or with a keyid that is not a string");
    return { keyid, sig };
  });
  return { payloadType, payload, signatures: read };
}

/** Reads the envelope next to a cassette file. Returns undefined if there is no such file. */
export async function readEnvelope(files: FilePort, cassetteFile: string): Promise<DsseEnvelope | undefined> {
  const file = cassetteFile + ENVELOPE_SUFFIX;
  if ((await files.read(file, 0)).kind === "not-found") return undefined;
  const options = { what: "envelope", maxBytes: MAX_ENVELOPE_BYTES, missing: "Sign again." };
  return parseEnvelope(await readWhole(files, file, options), { file });
}

export function formatEnvelope({ payloadType, payload, signatures }: DsseEnvelope): string {
  const listed = signatures.map(({ keyid, sig }) => ({ keyid, sig }));
  return JSON.stringify({ payloadType, payload, signatures: listed }, null, 2) + "\n";
}
