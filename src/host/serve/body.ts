// Reads a request's body up to a limit.

import type { IncomingMessage } from "node:http";

/** How reading a body ended. `maxBytes` is the limit that it exceeded. */
export type BodyRead =
  | { kind: "read"; bytes: Uint8Array }
  | { kind: "too-large"; maxBytes: number }
  /** All bodies together would take more memory than the server gives them. The same request may succeed later. */
  | { kind: "busy" }
  | { kind: "broken" };

export interface BodyMemory {
  held: number;
  readonly maxHeld: number;
}

/** Bytes beyond a limit are taken in and dropped, so that the client gets to read the refusal. */
export function bodyReader(incoming: IncomingMessage, maxBytes: number, memory: BodyMemory): () => Promise<BodyRead> {
  return () =>
    new Promise((resolve) => {
      const chunks: Uint8Array[] = [];
      let size = 0;
      let held = 0;
      let isRefused = false;
      const release = (): void => {
        memory.held -= held;
        held = 0;
      };
      const refuse = (read: BodyRead): void => {
        isRefused = true;
        chunks.length = 0;
        release();
        resolve(read);
      };
      incoming.on("data", (chunk: Uint8Array) => {
        size += chunk.length;
        if (isRefused) return;
        if (size > maxBytes) {
          refuse({ kind: "too-large", maxBytes });
          return;
        }
        if (memory.held + chunk.length > memory.maxHeld) {
          refuse({ kind: "busy" });
          return;
        }
        memory.held += chunk.length;
        held += chunk.length;
        chunks.push(chunk);
      });
      incoming.on("end", () => resolve({ kind: "read", bytes: Buffer.concat(chunks) }));
      incoming.on("close", () => {
        release();
        resolve({ kind: "broken" });
      });
      incoming.on("error", () => resolve({ kind: "broken" }));
      // A client that is already gone causes no more events.
      if (incoming.destroyed) resolve({ kind: "broken" });
    });
}
