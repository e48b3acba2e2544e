// Reads the central directory of a zip (APPNOTE 6.3, 4.3.12 to 4.3.16), which fflate does not check: the number, names and CRC-32 of
// the members. A directory that does not match the archive is refused.

const LOCAL_HEADER = 0x04034b50;
const LISTED = 0x02014b50;
const END = 0x06054b50;
const END_64 = 0x06064b50;

/** The CRC-32 of each unpacked member, in the order of the directory. Throws an `Error` that names the mismatch. */
export function readChecksums(bytes: Uint8Array): number[] {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { total, start, end } = findDirectory(view);
  const checksums: number[] = [];
  let at = start;
  for (let index = 0; index < total; index++) {
    if (uint32(view, at) !== LISTED) throw new Error("the directory has fewer members than its end record says");
    const nameLength = view.getUint16(at + 28, true);
    assertName(bytes, view, at, nameLength);
    checksums.push(view.getUint32(at + 16, true));
    at += 46 + nameLength + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  if (at !== end) throw new Error("the directory does not end with its last member");
  return checksums;
}

/** Finds the end record, which only a comment of at most 65,535 bytes follows. */
function findDirectory(view: DataView): { total: number; start: number; end: number } {
  let at = view.byteLength - 22;
  while (uint32(view, at) !== END) {
    if (at <= 0 || view.byteLength - at > 65_557) throw new Error("the end record is missing");
    at--;
  }
  const [total, start] = [view.getUint16(at + 10, true), view.getUint32(at + 16, true)];
  if (view.getUint16(at + 8, true) !== total) throw new Error("the end record has two different numbers of members");
  if (start !== 0xffff_ffff && total !== 0xffff) return { total, start, end: at };
  const wide = uint32(view, at - 12) ?? -1;
  if (uint32(view, wide) !== END_64) return { total, start, end: at };
  return { total: uint32(view, wide + 32) ?? 0, start: uint32(view, wide + 48) ?? 0, end: wide };
}

/** Each member repeats its name in its own header. */
function assertName(bytes: Uint8Array, view: DataView, at: number, length: number): void {
  const listed = bytes.subarray(at + 46, at + 46 + length);
  const offset = view.getUint32(at + 42, true);
  // A member beyond 4 GiB has its offset elsewhere, but no log that is read is so large.
  const isHeader = uint32(view, offset) === LOCAL_HEADER && view.getUint16(offset + 26, true) === length;
  const own = bytes.subarray(offset + 30, offset + 30 + length);
  if (isHeader && own.every((byte, index) => byte === listed[index])) return;
  const name = JSON.stringify(new TextDecoder().decode(listed));
  throw new Error(`the directory lists ${name} at the place of another member`);
}

/** Undefined outside of the file. */
function uint32(view: DataView, at: number): number | undefined {
  return at >= 0 && at + 4 <= view.byteLength ? view.getUint32(at, true) : undefined;
}
