// Base64 as recordings have it (RFC 4648 §4): in lines, and in pieces that were encoded one by one.

import { fromBase64 } from "../../../core/index.js";
import type { RecordedBody } from "./exchange.js";

/** The bytes of one base64 text, white space ignored, or a body that is lost. */
export function fromBase64Text(text: string): RecordedBody {
  return join([text]);
}

/** The bytes of pieces, each base64 of its own, one after the other. */
export function fromBase64Pieces(pieces: readonly unknown[]): RecordedBody {
  return pieces.every((piece) => typeof piece === "string")
    ? join(pieces)
    : { kind: "lost", why: "a piece of it is no text" };
}

function join(pieces: readonly string[]): RecordedBody {
  const parts: Uint8Array[] = [];
  for (const piece of pieces) {
    const part = fromBase64(piece.replace(/\s+/g, ""));
    if (part === undefined) return { kind: "lost", why: "it is no base64" };
    parts.push(part);
  }
  return { kind: "bytes", bytes: concat(parts) };
}

/** All parts in one. */
export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
