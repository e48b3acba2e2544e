// The list of trusted keys. It is kept and reviewed like code, since the key that a cassette names proves nothing.

import { defined, fromBase64, isPlainObject, toBase64, type FilePort } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import { parseStrictJson } from "../file/json.js";
import { readWhole } from "../file/read-bytes.js";
import { DEFAULT_MAX_FILE_BYTES } from "../limits.js";

/** A trusted public key and its validity (docs/trust.md). */
export interface TrustedKey {
  /** For people. Keys are not found by it. */
  keyId: string;
  /** The 32 bytes of an Ed25519 public key in base64. Only this verifies a signature. */
  publicKey: string;
  /** Shown with the key id. */
  name?: string;
  /** ISO 8601 in UTC, `2026-11-20T12:00:00Z`, compared with the verifier's clock. */
  notBefore?: string;
  notAfter?: string;
}

/** The trusted keys; read by {@link parseTrust}. */
export interface Trust {
  keys: readonly TrustedKey[];
}

export type Validity = "in-force" | "not-yet" | "expired";

const FIELDS = ["keyId", "publicKey", "name", "notBefore", "notAfter"];
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/;
const HINT =
  "A trust file is { keys: [{ keyId, publicKey, name?, notBefore?, notAfter? }] }, as cassette keygen prints it.";

/** A trust list from its text. Throws {@link CassetteError}: `trust-malformed`, or the code of what is wrong with the JSON. */
export function parseTrust(input: string | Uint8Array, options: { file?: string } = {}): Trust {
  return checkTrust(parseStrictJson(input, { ...options, remedy: HINT }), options);
}

/** {@link parseTrust} for a file; also throws `file-not-found` and `file-unreadable`. */
export async function readTrust(files: FilePort, path: string): Promise<Trust> {
  const missing = "Check the path; cassette keygen prints the trust file of a new key.";
  const bytes = await readWhole(files, path, { what: "trust file", maxBytes: DEFAULT_MAX_FILE_BYTES, missing });
  return parseTrust(bytes, { file: path });
}

/** {@link parseTrust} for an object. Unknown fields are refused: a misspelled `notAfter` must not mean forever. */
export function checkTrust(value: unknown, { file }: { file?: string } = {}): Trust {
  const refuse = (message: string, pointer: string): never => {
    const place = defined({ file });
    throw new CassetteError("trust-malformed", `the trust list ${message}`, { pointer, hint: HINT, ...place });
  };
  if (!isPlainObject(value) || !Array.isArray(value["keys"])) return refuse("has no list of keys", "/keys");
  const unknown = Object.keys(value).find((key) => key !== "keys");
  if (unknown !== undefined) refuse(`has a field nobody knows: ${JSON.stringify(unknown)}`, `/${unknown}`);
  const keys = value["keys"].map((key: unknown, index) => checkKey(key, index, refuse));
  const twice = keys.findIndex((key, index) => keys.findIndex((other) => other.publicKey === key.publicKey) < index);
  // With two periods for one key it would be unclear which one counts.
  if (twice >= 0) refuse(`names one public key twice`, `/keys/${twice}/publicKey`);
  return { keys };
}

function checkKey(key: unknown, index: number, refuse: (message: string, pointer: string) => never): TrustedKey {
  const here = `/keys/${index}`;
  if (!isPlainObject(key)) return refuse(`holds a key that is no object`, here);
  const unknown = Object.keys(key).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) refuse(`has a field nobody knows: ${JSON.stringify(unknown)}`, `${here}/${unknown}`);
  for (const field of FIELDS) {
    if (key[field] === undefined && field !== "keyId" && field !== "publicKey") continue;
    if (typeof key[field] !== "string") refuse(`has a ${field} that is no text`, `${here}/${field}`);
  }
  const { publicKey, notBefore, notAfter } = key as unknown as TrustedKey;
  if (decodeExact(publicKey, 32) === undefined) {
    refuse("has a publicKey that is not 32 bytes in base64", `${here}/publicKey`);
  }
  for (const [field, time] of Object.entries({ notBefore, notAfter })) {
    if (time !== undefined && !isTime(time)) {
      refuse(`has a ${field} that is no time such as 2026-11-20T12:00:00Z`, `${here}/${field}`);
    }
  }
  if (notBefore !== undefined && notAfter !== undefined && Date.parse(notBefore) > Date.parse(notAfter)) {
    refuse("has a key that ends before it begins", here);
  }
  return key as unknown as TrustedKey;
}

/** Refuses a date that does not exist, which `Date` would read as a later one. */
function isTime(text: string): boolean {
  const time = Date.parse(text);
  return TIME.test(text) && !Number.isNaN(time) && new Date(time).toISOString().slice(0, 19) === text.slice(0, 19);
}

/** The validity of a key at `now`, in milliseconds since the Unix epoch. Both ends of its period are included. */
export function validityAt({ notBefore, notAfter }: TrustedKey, now: number): Validity {
  if (notBefore !== undefined && now < Date.parse(notBefore)) return "not-yet";
  if (notAfter !== undefined && now > Date.parse(notAfter)) return "expired";
  return "in-force";
}

/** The bytes of padded base64 (RFC 4648 §4) of a known length; undefined for other text and other spellings. */
export function decodeExact(text: string, length: number): Uint8Array | undefined {
  // Longer text is wrong and need not be decoded.
  if (text.length > 2 * length) return undefined;
  const bytes = fromBase64(text);
  return bytes?.length === length && toBase64(bytes) === text ? bytes : undefined;
}
