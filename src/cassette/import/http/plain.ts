// The text or the bytes of a recorded body. Compressed bodies are unpacked within limits, since a small recording may unpack to any size.

import { decodeUtf8, joinBytes, thrownText } from "../../../core/index.js";
import { Decompress } from "fflate";
import { isTextual } from "../../exchange/body.js";
import { FREE_BODY_BYTES, MAX_RECORDED_BODY_BYTES, MAX_UNPACKED_RATIO } from "../../limits.js";
import type { RecordedBody } from "./exchange.js";

/** Packed bytes that are unpacked at a time: at most sixteen megabytes come of them. */
const SLICE_LENGTH = 16 * 1024;

interface Flaw {
  flaw: string;
}

type PlainBody = { text: string } | Flaw;

/** Reads a body. `encoding` is its header, which recorders keep even where they have unpacked the body. */
export function toPlain(body: RecordedBody, encoding: string): PlainBody {
  switch (body.kind) {
    case "none":
      return { flaw: "was not recorded" };
    case "lost":
      return { flaw: `cannot be read: ${body.why}` };
    case "json":
      return { text: JSON.stringify(body.value) };
    case "text":
      return body.text.length > MAX_RECORDED_BODY_BYTES ? tooLarge() : { text: body.text };
    case "bytes":
      return fromBytes(body.bytes, encoding);
  }
}

/** Reads the bytes of a body that may be empty or binary. Only `encoding` tells a packed answer from an archive. */
export function toPlainBytes(body: RecordedBody, encoding: string, type = ""): { bytes: Uint8Array } | Flaw {
  if (body.kind === "none") return { bytes: new Uint8Array() };
  if (body.kind !== "bytes") {
    const plain = toPlain(body, encoding);
    return "flaw" in plain ? plain : { bytes: new TextEncoder().encode(plain.text) };
  }
  if (encoding === "" && !isTextual(type)) return { bytes: body.bytes };
  const { bytes, isPacked } = unpacked(body.bytes, encoding);
  if (!(bytes instanceof Uint8Array)) return bytes;
  const isKnown = isPacked || /^(?:|identity|x-gzip|gzip|deflate)$/.test(encoding) || decodeUtf8(bytes) !== undefined;
  return isKnown ? { bytes } : packedAs(encoding);
}

function fromBytes(packed: Uint8Array, encoding: string): PlainBody {
  const { bytes, isPacked } = unpacked(packed, encoding);
  if (!(bytes instanceof Uint8Array)) return bytes;
  const text = decodeUtf8(bytes);
  return text === undefined ? packedAs(isPacked ? "" : encoding) : { text };
}

/** `encoding` may be the header of a body that the recorder has unpacked. */
function unpacked(bytes: Uint8Array, encoding: string): { bytes: Uint8Array | Flaw; isPacked: boolean } {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const isPacked = isGzip || (encoding === "deflate" && decodeUtf8(bytes) === undefined);
  const plain = isPacked ? unpack(bytes) : bytes;
  const isTooLarge = plain instanceof Uint8Array && plain.length > MAX_RECORDED_BODY_BYTES;
  return { bytes: isTooLarge ? tooLarge() : plain, isPacked };
}

function packedAs(encoding: string): Flaw {
  const how = encoding === "" ? "is not UTF-8" : `is packed as ${JSON.stringify(encoding.slice(0, 20))}`;
  return { flaw: `${how}, and only gzip and deflate are unpacked` };
}

function unpack(bytes: Uint8Array): Uint8Array | Flaw {
  const limit = Math.min(MAX_RECORDED_BODY_BYTES, Math.max(FREE_BODY_BYTES, bytes.length * MAX_UNPACKED_RATIO));
  const parts: Uint8Array[] = [];
  let size = 0;
  const stream = new Decompress((part) => {
    parts.push(part);
    size += part.length;
  });
  try {
    for (let at = 0; at < bytes.length && size <= limit; at += SLICE_LENGTH) {
      stream.push(bytes.slice(at, at + SLICE_LENGTH), at + SLICE_LENGTH >= bytes.length);
    }
  } catch (error) {
    return { flaw: `cannot be unpacked: ${thrownText(error)}` };
  }
  return size > limit ? { flaw: `grows beyond the limit of ${limit} bytes when unpacked` } : joinBytes(parts);
}

function tooLarge(): Flaw {
  return { flaw: `has more than ${MAX_RECORDED_BODY_BYTES} bytes, which is the limit` };
}
