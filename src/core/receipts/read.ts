// Reading one receipt, from a line of a file or a value: its shape, its signature and its spelling.

import { fromBase64, toBase64 } from "../canon/bytes.js";
import { seal } from "../canon/copy.js";
import { tryParseJson } from "../canon/bounded-json.js";
import { canonicalize } from "../canon/json.js";
import { keyIdOf } from "../canon/key.js";
import { verifySignature } from "../canon/signature.js";
import { isPlainObject } from "../canon/value.js";
import { RECEIPT_VERSION, receiptMessage, type Receipt } from "./receipt.js";

/** A flaw of one line by itself. */
export type ReceiptFlaw = "edited" | "foreign-key" | "not-a-receipt";

export type ReadReceipt =
  | { kind: "receipt"; receipt: Receipt }
  /** `seq` as the line claims it, if it does. */
  | { kind: "flaw"; flaw: ReceiptFlaw; text: string; seq?: number };

/**
 * Reads a receipt. A line must be its RFC 8785 text, byte for byte. A value is judged by its content and read once, so the result is
 * what was checked. Never throws.
 */
export function readReceipt(input: unknown, publicKey: Uint8Array): ReadReceipt {
  try {
    const value = typeof input === "string" ? tryParseJson(input) : isObject(input) ? seal(input) : input;
    const flaw = findShapeFlaw(value);
    if (flaw !== undefined) return { kind: "flaw", flaw: "not-a-receipt", text: flaw };
    const receipt = value as Receipt;
    const { seq } = receipt;
    if (!isSigned(receipt, publicKey)) return { kind: "flaw", ...refuse(receipt, publicKey), seq };
    const text = typeof input === "string" ? findSpellingFlaw(input, canonicalize(receipt)) : undefined;
    return text === undefined ? { kind: "receipt", receipt } : { kind: "flaw", flaw: "edited", text, seq };
  } catch {
    return { kind: "flaw", flaw: "not-a-receipt", text: "it is not plain JSON" };
  }
}

function findSpellingFlaw(line: string, written: string): string | undefined {
  if (line === written) return undefined;
  if (line === `${written}\r`) return "its line end was changed from LF to CR LF";
  return "its spaces, the order of its keys or its spelling was changed";
}

/** True for a line that a crash may leave half written. */
export function isTornLine(line: string): boolean {
  return LINE_START.startsWith(line.slice(0, LINE_START.length)) && tryParseJson(line) === undefined;
}

/** The beginning of every line: `agentId` is the first key. */
const LINE_START = '{"agentId":"';

function isSigned({ sig, ...unsigned }: Receipt, publicKey: Uint8Array): boolean {
  const bytes = fromBase64(sig);
  // Only one spelling is valid, since the signature does not cover itself.
  if (bytes === undefined || toBase64(bytes) !== sig) return false;
  return verifySignature(publicKey, receiptMessage(unsigned), bytes);
}

function refuse({ keyId }: Receipt, publicKey: Uint8Array): { flaw: ReceiptFlaw; text: string } {
  const expected = keyIdOf(publicKey);
  if (keyId === expected) return { flaw: "edited", text: "it is not what the key signed" };
  return { flaw: "foreign-key", text: `it names the key ${keyId.slice(0, 40)}, not ${expected}` };
}

const TYPES: Readonly<Record<keyof Receipt, (value: unknown) => boolean>> = {
  agentId: isString,
  body: (value) => isPlainObject(value) && ["turn", "tool", "end"].includes(value["kind"] as string),
  chainId: (value) => isString(value) && /^[0-9a-f]{32}$/.test(value),
  hlc: isString,
  keyId: isString,
  parentSig: (value) => value === null || isString(value),
  runId: isString,
  seq: (value) => Number.isSafeInteger(value) && (value as number) >= 0,
  sig: isString,
  turnIndex: Number.isSafeInteger,
  version: (value) => value === RECEIPT_VERSION,
};

function findShapeFlaw(value: unknown): string | undefined {
  if (!isPlainObject(value)) return "it is not a JSON object";
  const version = value["version"];
  if (typeof version === "number" && version > RECEIPT_VERSION) {
    return `it has version ${version}, but this program knows only ${RECEIPT_VERSION}`;
  }
  const wrong = Object.entries(TYPES).find(([name, isRight]) => !isRight(value[name]));
  return wrong === undefined ? undefined : `its ${wrong[0]} is missing or has the wrong type`;
}

function isObject(value: unknown): value is object {
  return typeof value === "object" && value !== null;
}

function isString(value: unknown): value is string {
  return typeof value === "string";
}
