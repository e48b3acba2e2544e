// Reads whole files, up to a limit. Most calls wait in another thread of Node.js, and the round trip takes longer than reading a small file
// that the system has in memory. So there are few such calls, and a thread of our own makes none of them while the disk is fast.

import { closeSync, constants, fstatSync, open, openSync, read, readSync, statSync, type Stats } from "node:fs";
import { readdir, stat } from "node:fs/promises";
import { thrownText, type FileRead } from "../../core/index.js";
import { SLOW_CALL_MS } from "../limits.js";
import { codeOf } from "./failure.js";
import { assertPath } from "./write.js";

/** The calls that may have to wait for a disk. */
interface Calls {
  stat: (path: string) => Stats | Promise<Stats>;
  open: (path: string, flags: number) => number | Promise<number>;
  /** Fills the buffer from the current position. Returns the number of bytes. */
  read: (file: number, buffer: Buffer) => number | Promise<number>;
}

const ELSEWHERE: Calls = {
  stat,
  open: (path, flags) => settled((done) => open(path, flags, done)),
  read: (file, buffer) => settled((done) => read(file, buffer, 0, buffer.length, null, done)),
};

/** `promisify` without `node:util`, which takes longer to load than most files take to read. */
function settled(call: (done: (error: Error | null, value: number) => void) => void): Promise<number> {
  return new Promise((resolve, reject) => {
    call((error, value) => (error === null ? resolve(value) : reject(error)));
  });
}

/** Opens a pipe at once, even without a writer. Windows has no such flag. */
const READ_AND_NEVER_WAIT = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

/** `read` of {@link FilePort}. */
export function readFile(path: string, maxBytes: number): Promise<FileRead> {
  return readBy(ELSEWHERE, path, maxBytes);
}

/** The disk counts as slow after this many more slow calls than quick ones. */
const ENOUGH_CALLS = 16;

/** `readFile` for a thread that has nothing else to do. On a disk that is slow most of the time, it reads several files at once. */
export function createQuickRead(): typeof readFile {
  let [slow, quick] = [0, 0];
  const timed = <Args extends unknown[], Result>(call: (...args: Args) => Result) => {
    return (...args: Args): Result => {
      const began = performance.now();
      try {
        return call(...args);
      } finally {
        if (performance.now() - began > SLOW_CALL_MS) slow++;
        else quick++;
      }
    };
  };
  const here: Calls = { stat: timed((path: string) => statSync(path)), open: timed(openSync), read: timed(readSync) };
  return (path, maxBytes) => readBy(slow > quick + ENOUGH_CALLS ? ELSEWHERE : here, path, maxBytes);
}

async function readBy(calls: Calls, path: string, maxBytes: number): Promise<FileRead> {
  let file: number | undefined;
  try {
    assertPath(path);
    const about = await calls.stat(path);
    // `list` names folders that cannot be read, so the folder's own error is reported here.
    if (about.isDirectory()) await readdir(path);
    if (!about.isFile()) return { kind: "failed", message: "it is not a regular file" };
    if (about.size > maxBytes) return { kind: "too-large", size: about.size };
    file = await calls.open(path, READ_AND_NEVER_WAIT);
    // The file may have been replaced since, so the opened one is checked again.
    const opened = fstatSync(file);
    if (!opened.isFile()) return { kind: "failed", message: "it is not a regular file" };
    return await readBounded(calls, file, opened.size, maxBytes);
  } catch (error) {
    return codeOf(error) === "ENOENT" ? { kind: "not-found" } : { kind: "failed", message: thrownText(error) };
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** The buffer for files that grew since they were measured, or that report no size. */
const GROWTH_LENGTH = 64 * 1024;

/** Reads the whole file of `size` bytes, or finds that it has more than `maxBytes`. Tries one byte more, because the file may have grown. */
async function readBounded(calls: Calls, file: number, size: number, maxBytes: number): Promise<FileRead> {
  const chunks: Buffer[] = [];
  let total = 0;
  let room = Math.min(size, maxBytes) + 1;
  while (total <= maxBytes) {
    const buffer = Buffer.allocUnsafeSlow(room);
    const bytesRead = await calls.read(file, buffer);
    if (bytesRead > 0) chunks.push(buffer.subarray(0, bytesRead));
    total += bytesRead;
    // The extra byte was not there, so this is the end.
    if (bytesRead === 0 || (total === size && bytesRead < room)) break;
    room = total < size ? Math.min(size, maxBytes) + 1 - total : Math.min(GROWTH_LENGTH, maxBytes + 1 - total);
  }
  if (total > maxBytes) return { kind: "too-large", size: total };
  const [only, second] = chunks;
  const bytes = second === undefined ? (only ?? new Uint8Array()) : Buffer.concat(chunks);
  return { kind: "read", bytes: new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.length) };
}
