// The text of a recorded body. Compressed bodies are unpacked within limits, since a small recording may unpack to any size.

import { thrownText } from "../../../core/index.js";
import { Decompress } from "fflate";
import { FREE_BODY_BYTES, MAX_RECORDED_BODY_BYTES, MAX_UNPACKED_RATIO } from "../../limits.js";
import { concat } from "./base64.js";
import type { RecordedBody } from "./exchange.js";

/** Packed bytes that are unpacked at a time: at most sixteen megabytes come of them. */
const SLICE_LENGTH = 16 * 1024;

type PlainBody = { text: string } | { flaw: string };

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

function fromBytes(bytes: Uint8Array, encoding: string): PlainBody {
  const isGzip = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const isPacked = isGzip || (encoding === "deflate" && decode(bytes) === undefined);
  const unpacked = isPacked ? unpack(bytes) : bytes;
  if (!(unpacked instanceof Uint8Array)) return unpacked;
  if (unpacked.length > MAX_RECORDED_BODY_BYTES) return tooLarge();
  const text = decode(unpacked);
  if (text !== undefined) return { text };
  const how = encoding === "" || isPacked ? "is not UTF-8" : `is packed as ${JSON.stringify(encoding.slice(0, 20))}`;
  return { flaw: `${how}, and only gzip and deflate are unpacked` };
}

function unpack(bytes: Uint8Array): Uint8Array | { flaw: string } {
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
  return size > limit ? { flaw: `grows beyond the limit of ${limit} bytes when unpacked` } : concat(parts);
}

function tooLarge(): PlainBody {
  return { flaw: `has more than ${MAX_RECORDED_BODY_BYTES} bytes, which is the limit` };
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
