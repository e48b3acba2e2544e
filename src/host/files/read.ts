// Reads the bytes of an open file with as few calls as possible, because a folder may have very many small files.

import type { FileHandle } from "node:fs/promises";
import type { FileRead } from "../../core/index.js";

/** The buffer for files that grew since they were measured, or that report no size. */
const GROWTH_LENGTH = 64 * 1024;

/** Reads the whole file of `size` bytes, or finds that it has more than `maxBytes`. Tries one byte more, because the file may have grown. */
export async function readBounded(handle: FileHandle, size: number, maxBytes: number): Promise<FileRead> {
  const chunks: Buffer[] = [];
  let total = 0;
  let room = Math.min(size, maxBytes) + 1;
  while (total <= maxBytes) {
    const buffer = Buffer.allocUnsafeSlow(room);
    const { bytesRead } = await handle.read(buffer, 0, room, null);
    if (bytesRead > 0) chunks.push(buffer.subarray(0, bytesRead));
    total += bytesRead;
    // The extra byte was not there, so this is the end.
    if (bytesRead === 0 || (total === size && bytesRead < room)) break;
    room = total < size ? Math.min(size, maxBytes) + 1 - total : Math.min(GROWTH_LENGTH, maxBytes + 1 - total);
    if (room <= 0) break;
  }
  if (total > maxBytes) return { kind: "too-large", size: total };
  const [only, second] = chunks;
  const bytes = second === undefined ? (only ?? new Uint8Array()) : Buffer.concat(chunks);
  return { kind: "read", bytes: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length) };
}
