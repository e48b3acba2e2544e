// The parts of a multipart body (RFC 2046 §5.1, RFC 7578). Its boundary is random, so the parts are kept and not the raw bytes.

import { decodeExactUtf8, defined, sha256Hex } from "../../core/index.js";
import type { ExchangePart } from "../file/format.js";
import { MAX_FIELD_BYTES, MAX_FORM_PARTS } from "../limits.js";

/** The boundary that a content type names; undefined for a body of another type. */
export function boundaryOf(type = ""): string | undefined {
  const match = /^\s*multipart\/[^;]*;(?:[^"]|"[^"]*")*?\bboundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(type);
  return match?.[1] ?? match?.[2];
}

/** Undefined if the body does not end with its boundary, or has too many parts. */
export function readParts(bytes: Uint8Array, boundary: string): ExchangePart[] | undefined {
  // One character for each byte, so that offsets are those of the bytes. The first delimiter lacks its line break.
  const delimiter = `\r\n--${boundary}`;
  const pieces = `\r\n${toLatin1(bytes)}`.split(delimiter);
  if (pieces.at(-1)?.startsWith("--") !== true || pieces.length > MAX_FORM_PARTS + 2) return undefined;
  const parts: ExchangePart[] = [];
  let start = -2;
  for (const [index, piece] of pieces.slice(0, -1).entries()) {
    const part = index === 0 ? undefined : readPart(piece, bytes.subarray(start, start + piece.length));
    if (part !== undefined) parts.push(part);
    else if (index > 0) return undefined;
    start += piece.length + delimiter.length;
  }
  return parts;
}

function readPart(piece: string, bytes: Uint8Array): ExchangePart | undefined {
  const end = piece.indexOf("\r\n\r\n");
  if (!piece.startsWith("\r\n") || end < 0) return undefined;
  const headers = decodeExactUtf8(bytes.subarray(0, end)) ?? "";
  const body = bytes.subarray(end + 4);
  const disposition = headerOf(headers, "content-disposition") ?? "";
  const [name, filename] = ["name", "filename"].map((key) => parameterOf(disposition, key));
  const type = headerOf(headers, "content-type")?.toLowerCase();
  const text = isField(filename, type) && body.length <= MAX_FIELD_BYTES ? decodeExactUtf8(body) : undefined;
  const content = text === undefined ? { sha256: sha256Hex(body), bytes: body.length } : { text };
  return { ...defined({ name, filename, type }), ...content };
}

/** True for a form field, whose content is text. */
function isField(filename: string | undefined, type: string | undefined): boolean {
  return filename === undefined && (type === undefined || /^text\/|^application\/json\b/.test(type));
}

function headerOf(headers: string, name: string): string | undefined {
  const line = headers.split("\r\n").find((each) => each.toLowerCase().startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim();
}

function parameterOf(value: string, name: string): string | undefined {
  const match = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s]+))`, "i").exec(value);
  return match?.[1]?.replace(/\\(["\\])/g, "$1") ?? match?.[2];
}

const CHUNK = 8_192;

function toLatin1(bytes: Uint8Array): string {
  let text = "";
  for (let at = 0; at < bytes.length; at += CHUNK) text += String.fromCharCode(...bytes.subarray(at, at + CHUNK));
  return text;
}
