// The bytes of an open file, in as few calls as there can be: a folder of very many small files is read by nothing else.

import type { FileHandle } from "node:fs/promises";
import type { FileRead } from "../../core/index.js";

/** For a file that grew since it was measured, and for one that says it has no size. */
const MORE_BYTES = 64 * 1024;

/**
 * The whole file, which has `size` bytes by its own account, or that it has more than `maxBytes`. Reads one byte more than either
 * says, since a file may grow between being measured and being read.
 */
export async function readBounded(handle: FileHandle, size: number, maxBytes: number): Promise<FileRead> {
  const chunks: Buffer[] = [];
  let total = 0;
  let room = Math.min(size, maxBytes) + 1;
  while (total <= maxBytes) {
    const buffer = Buffer.allocUnsafeSlow(room);
    const { bytesRead } = await handle.read(buffer, 0, room, null);
    if (bytesRead > 0) chunks.push(buffer.subarray(0, bytesRead));
    total += bytesRead;
    // One byte more was asked for and was not there, so this is the end.
    if (bytesRead === 0 || (total === size && bytesRead < room)) break;
    room = total < size ? Math.min(size, maxBytes) + 1 - total : Math.min(MORE_BYTES, maxBytes + 1 - total);
    if (room <= 0) break;
  }
  if (total > maxBytes) return { kind: "too-large", size: total };
  const [only, second] = chunks;
  const bytes = second === undefined ? (only ?? new Uint8Array()) : Buffer.concat(chunks);
  return { kind: "read", bytes: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length) };
}
