// Reads all of stdin, up to a limit.

import { CliError } from "../errors.js";
import type { CliIo } from "../terminal/io.js";

/** Throws `request-unreadable` beyond `maxBytes`. */
export async function readStdin({ stdin }: CliIo, maxBytes: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of stdin?.() ?? []) {
    size += chunk.length;
    if (size > maxBytes) {
      throw new CliError("request-unreadable", `stdin has more than ${maxBytes} bytes`, "Give one request.");
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}
