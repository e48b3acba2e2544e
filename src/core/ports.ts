// The core's only access to the outside world: time, randomness, timers, fetch and warnings. A test can replace each of them.

import { showValue } from "./text/show.js";

/** Everything that the core needs from the machine. Tests pass their own. {@link systemPorts} is the default. */
export interface Ports {
  /** Milliseconds since the Unix epoch. Must not throw. */
  now(): number;
  /** Returns `length` unpredictable bytes, which the caller owns. */
  randomBytes(length: number): Uint8Array;
  /** Calls `fire` once after `ms` milliseconds, unless the returned function is called first. */
  timer(ms: number, fire: () => void): () => void;
  fetch: typeof globalThis.fetch;
  /** Prints a warning for a developer. Must not throw. */
  warn(message: string): void;
}

/** The clock, randomness, timers, `fetch` and console of this process. */
export const systemPorts: Ports = {
  now: () => Date.now(),
  randomBytes: drawBytes,
  timer(ms, fire) {
    const handle = setTimeout(fire, ms);
    return () => clearTimeout(handle);
  },
  fetch: (input, init) => globalThis.fetch(input, init),
  warn: (message) => console.warn(message),
};

/** Bytes drawn from the system at once. 16 bytes take as long as these (measured), and each run needs them twice. */
const POOL_LENGTH = 512;
const pool = new Uint8Array(POOL_LENGTH);
let drawn = POOL_LENGTH;

/** Returns unpredictable bytes. Each byte is used once and then erased. */
function drawBytes(length: number): Uint8Array {
  if (length > POOL_LENGTH / 8) return globalThis.crypto.getRandomValues(new Uint8Array(length));
  if (drawn + length > POOL_LENGTH) {
    globalThis.crypto.getRandomValues(pool);
    drawn = 0;
  }
  const bytes = pool.slice(drawn, drawn + length);
  pool.fill(0, drawn, (drawn += length));
  return bytes;
}

/** Completes the `ports` option of a constructor with the system's ports. */
export function withSystemPorts(ports: Partial<Ports> = {}): Ports {
  return { ...systemPorts, ...ports };
}

/** Describes the flaw in the `ports` of an options object. Returns "" for a valid object. For adapters. */
export function portsProblem(ports: unknown): string {
  if (ports === undefined) return "";
  const names = Object.keys(systemPorts);
  if (typeof ports !== "object" || ports === null) {
    return `ports is ${showValue(ports)}: pass an object with any of ${names.join(", ")}`;
  }
  const wrong = Object.entries(ports).find(([name, port]) => names.includes(name) && typeof port !== "function");
  return wrong === undefined ? "" : `ports.${wrong[0]} is ${showValue(wrong[1])}: pass a function, or omit it`;
}

/** The result of a read. `size` is in bytes. */
export type FileRead =
  | { kind: "read"; bytes: Uint8Array }
  | { kind: "not-found" }
  | { kind: "too-large"; size: number }
  | { kind: "failed"; message: string };

/** The result of a write or an append. `exists` occurs only without `overwrite`. */
export type FileWrite = { kind: "written" } | { kind: "exists" } | { kind: "failed"; message: string };

/** The result of a removal. */
export type FileRemove = { kind: "removed" } | { kind: "not-found" } | { kind: "failed"; message: string };

/**
 * File access for the layers that store recordings. The host provides it. The core itself does not use it.
 *
 * Contract: failures are values, and no method throws. A write is atomic: after a crash at any point, the target has its old content
 * or its complete new content.
 */
export interface FilePort {
  /** Reads a whole file of at most `maxBytes` bytes. */
  read(path: string, maxBytes: number): Promise<FileRead>;
  /**
   * Writes a file and creates missing folders. Without `overwrite`, an existing file gives `exists`, checked atomically. `mode` sets the
   * permissions of a new file from its first byte on, if the system supports them: 0o600 for a secret.
   */
  write(path: string, text: string, options: { overwrite: boolean; mode?: number }): Promise<FileWrite>;
  /** Appends `text` to a file in one write. Creates the file if it does not exist. */
  append(path: string, text: string): Promise<FileWrite>;
  /** Removes one file, or one link to it, but never a folder. */
  remove(path: string): Promise<FileRemove>;
  /**
   * Lists all files below `folder` whose name ends with `suffix`: sorted paths relative to `folder`, with `/`. Undefined if `folder` is
   * not a readable folder. Follows links to folders, but visits each folder once. An unreadable subfolder is listed as a path, so that
   * reading it gives the reason.
   */
  list(folder: string, suffix: string): Promise<string[] | undefined>;
}
