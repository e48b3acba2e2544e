// Reads and decompresses the body of an answer (RFC 9110 §8.4). It counts bytes before and after decompression, so that an endless body
// and a small one that unpacks to gigabytes stop at the same limit.

import type { IncomingMessage } from "node:http";
import { pipeline, Transform, type Readable } from "node:stream";
import { createBrotliDecompress, createGunzip, createInflate } from "node:zlib";
import { MAX_BODY_ENCODINGS } from "../limits.js";
import { VerbError } from "./error.js";

export interface BodyLimit {
  readonly maxBytes: number;
  /** True returns the beginning of a larger body, false refuses it with `too-large`. */
  readonly cut: boolean;
}

export interface Body {
  readonly bytes: Uint8Array;
  /** False when there was more. */
  readonly isWhole: boolean;
}

export async function readBody(message: IncomingMessage, limit: BodyLimit): Promise<Body> {
  const decoders = hasBody(message) ? decodersOf(message) : [];
  const declared = Number(message.headers["content-length"] ?? 0);
  if (!limit.cut && decoders.length === 0 && declared > limit.maxBytes) throw tooLarge(limit);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of decode(message, decoders, limit)) {
    const room = limit.maxBytes - size;
    const bytes = chunk as Uint8Array;
    size += bytes.length;
    chunks.push(bytes.length > room ? bytes.subarray(0, room) : bytes);
    if (size <= limit.maxBytes) continue;
    if (!limit.cut) throw tooLarge(limit);
    break;
  }
  return { bytes: Buffer.concat(chunks), isWhole: size <= limit.maxBytes };
}

function hasBody({ statusCode = 0, headers }: IncomingMessage): boolean {
  return statusCode !== 204 && statusCode !== 304 && headers["content-length"] !== "0";
}

/** Leaving the iteration early destroys the stream and the connection. */
function decode(message: IncomingMessage, decoders: readonly Transform[], limit: BodyLimit): Readable {
  const last = decoders.at(-1);
  if (last === undefined) return message;
  let size = 0;
  const counter = new Transform({
    transform(chunk: Uint8Array, _encoding, done) {
      size += chunk.length;
      done(size > limit.maxBytes ? tooLarge(limit) : null, chunk);
    },
  });
  // Errors reach the reader through the last stream.
  pipeline([message, counter, ...decoders], () => undefined);
  return last;
}

function decodersOf({ headers }: IncomingMessage): Transform[] {
  const names = (headers["content-encoding"] ?? "")
    .split(",")
    .map((name) => name.trim().toLowerCase())
    .filter((name) => name !== "" && name !== "identity");
  if (names.length > MAX_BODY_ENCODINGS)
    throw new VerbError("content", `the body is encoded ${names.length} times over`);
  return names.reverse().map((name) => {
    if (name === "gzip" || name === "x-gzip") return createGunzip();
    if (name === "deflate") return createInflate();
    if (name === "br") return createBrotliDecompress();
    throw new VerbError("content", `the body has the unknown encoding ${name.slice(0, 40)}`);
  });
}

function tooLarge({ maxBytes }: BodyLimit): VerbError {
  return new VerbError("too-large", `the body has more than ${maxBytes} bytes`);
}
