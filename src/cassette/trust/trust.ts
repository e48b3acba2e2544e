// The list of trusted keys. Keep and review it like code: the key inside a cassette proves nothing by itself.

import { defined, fromBase64, isPlainObject, toBase64, type FilePort } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import { parseStrictJson } from "../file/json.js";
import { readWhole } from "../file/read-bytes.js";
import { DEFAULT_MAX_FILE_BYTES } from "../limits.js";

/** A trusted public key and its period of validity (docs/trust.md). */
export interface TrustedKey {
  /** A label for people. Keys are found by `publicKey` alone. */
  keyId: string;
  /** The 32 bytes of an Ed25519 public key in base64. */
  publicKey: string;
  /** The owner's name, shown with the key id. */
  name?: string;
  /** ISO 8601 in UTC, `2026-11-20T12:00:00Z`, compared with the verifier's clock. */
  notBefore?: string;
  notAfter?: string;
}

/** The list of trusted keys. Read it with {@link parseTrust}. */
export interface Trust {
  keys: readonly TrustedKey[];
}

export type Validity = "in-force" | "not-yet" | "expired";

const FIELDS = ["keyId", "publicKey", "name", "notBefore", "notAfter"];
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d{1,3})?Z$/;
const HINT =
  "A trust file is { keys: [{ keyId, publicKey, name?, notBefore?, notAfter? }] }, as cassette keygen prints it.";

/** Parses a trust list. Throws {@link CassetteError}: `trust-malformed`, or the code of the error in the JSON. */
export function parseTrust(input: string | Uint8Array, options: { file?: string } = {}): Trust {
  return checkTrust(parseStrictJson(input, { ...options, remedy: HINT }), options);
}

/** {@link parseTrust} for a file. Also throws `file-not-found` and `file-unreadable`. */
export async function readTrust(files: FilePort, path: string): Promise<Trust> {
  const missing = "Check the path. For a new key, cassette keygen prints the trust file.";
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
  if (unknown !== undefined) refuse(`has an unknown field: ${JSON.stringify(unknown)}`, `/${unknown}`);
  const keys = value["keys"].map((key: unknown, index) => checkKey(key, index, refuse));
  const twice = keys.findIndex((key, index) => keys.findIndex((other) => other.publicKey === key.publicKey) < index);
  // With two periods for one key it would be unclear which one counts.
  if (twice >= 0) refuse(`lists one public key twice`, `/keys/${twice}/publicKey`);
  return { keys };
}

function checkKey(key: unknown, index: number, refuse: (message: string, pointer: string) => never): TrustedKey {
  const here = `/keys/${index}`;
  if (!isPlainObject(key)) return refuse(`has a key that is not an object`, here);
  const unknown = Object.keys(key).find((field) => !FIELDS.includes(field));
  if (unknown !== undefined) refuse(`has an unknown field: ${JSON.stringify(unknown)}`, `${here}/${unknown}`);
  for (const field of FIELDS) {
    if (key[field] === undefined && field !== "keyId" && field !== "publicKey") continue;
    if (typeof key[field] !== "string") refuse(`has a ${field} that is not a string`, `${here}/${field}`);
  }
  const { publicKey, notBefore, notAfter } = key as unknown as TrustedKey;
  if (decodeExact(publicKey, 32) === undefined) {
    refuse("has a publicKey that is not 32 bytes in base64", `${here}/publicKey`);
  }
  for (const [field, time] of Object.entries({ notBefore, notAfter })) {
    if (time !== undefined && !isTime(time)) {
      refuse(`has a ${field} that is not a time such as 2026-11-20T12:00:00Z`, `${here}/${field}`);
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

/** Returns the validity of a key at `now`, in milliseconds since the Unix epoch. Its period includes both ends. */
export function validityAt({ notBefore, notAfter }: TrustedKey, now: number): Validity {
  if (notBefore !== undefined && now < Date.parse(notBefore)) return "not-yet";
  if (notAfter !== undefined && now > Date.parse(notAfter)) return "expired";
  return "in-force";
}

/** Decodes padded base64 (RFC 4648 §4) of a known length. Undefined for any other text and for non-canonical base64. */
export function decodeExact(text: string, length: number): Uint8Array | undefined {
  // Text this long cannot be right, so do not decode it.
  if (text.length > 2 * length) return undefined;
  const bytes = fromBase64(text);
  return bytes?.length === length && toBase64(bytes) === text ? bytes : undefined;
}
