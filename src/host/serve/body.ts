// Reading a request's body up to a limit.

import type { IncomingMessage } from "node:http";

export type BodyRead =
  { kind: "read"; bytes: Uint8Array } | { kind: "too-large"; maxBytes: number } | { kind: "broken" };

/** A reader for one request. Bytes beyond the limit are taken in and dropped, so that the client gets to read the refusal. */
export function bodyReader(incoming: IncomingMessage, maxBytes: number): () => Promise<BodyRead> {
  return () =>
    new Promise((resolve) => {
      const chunks: Uint8Array[] = [];
      let size = 0;
      incoming.on("data", (chunk: Uint8Array) => {
        size += chunk.length;
        if (size > maxBytes) chunks.length = 0;
        else chunks.push(chunk);
        if (size > maxBytes) resolve({ kind: "too-large", maxBytes });
      });
      incoming.on("end", () => resolve({ kind: "read", bytes: Buffer.concat(chunks) }));
      incoming.on("close", () => resolve({ kind: "broken" }));
      incoming.on("error", () => resolve({ kind: "broken" }));
      // Whoever is gone already says nothing more.
      if (incoming.destroyed) resolve({ kind: "broken" });
    });
}
