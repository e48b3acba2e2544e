// Base64 in recordings (RFC 4648 §4): broken into lines, or in pieces that were encoded one by one.

import { fromBase64, joinBytes } from "../../../core/index.js";
import type { RecordedBody } from "./exchange.js";

/** The bytes of pieces that are each base64, one after the other. White space is ignored. */
export function fromBase64Pieces(pieces: readonly unknown[]): RecordedBody {
  if (!pieces.every((piece) => typeof piece === "string")) return { kind: "lost", why: "a piece of it is not text" };
  const parts: Uint8Array[] = [];
  for (const piece of pieces) {
    const part = fromBase64(piece.replace(/\s+/g, ""));
    if (part === undefined) return { kind: "lost", why: "it is not base64" };
    parts.push(part);
  }
  return { kind: "bytes", bytes: joinBytes(parts) };
}
