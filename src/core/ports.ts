// The only door to the outside that the core uses, so that a test can hand in its own: time, randomness, timers, fetch and warnings.

import { showValue } from "./text/show.js";

/** All that the core needs of the machine. Tests hand in their own; see {@link systemPorts} for the default. */
export interface Ports {
  /** Milliseconds since the Unix epoch. Must not throw. */
  now(): number;
  /** `length` unpredictable bytes, owned by the caller. */
  randomBytes(length: number): Uint8Array;
  /** Calls `fire` once after `ms` milliseconds, unless the returned function is called first. */
  timer(ms: number, fire: () => void): () => void;
  fetch: typeof globalThis.fetch;
  /** Says something to a developer that is no error. Must not throw. */
  warn(message: string): void;
}

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

/** Asking the system takes as long for 16 bytes as for these (measured), and each run asks twice. */
const POOL_LENGTH = 512;
const pool = new Uint8Array(POOL_LENGTH);
let drawn = POOL_LENGTH;

/** Unpredictable bytes, each handed out once and forgotten. */
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

/** The system's ports with some replaced, as every constructor that takes `ports` fills them in. */
export function withSystemPorts(ports: Partial<Ports> = {}): Ports {
  return { ...systemPorts, ...ports };
}

/** For adapters: what is wrong with the `ports` of an options object, or "". */
export function portsProblem(ports: unknown): string {
  if (ports === undefined) return "";
  const names = Object.keys(systemPorts);
  if (typeof ports !== "object" || ports === null) {
    return `ports is ${showValue(ports)}: give an object with any of ${names.join(", ")}`;
  }
  const wrong = Object.entries(ports).find(([name, port]) => names.includes(name) && typeof port !== "function");
  return wrong === undefined ? "" : `ports.${wrong[0]} is ${showValue(wrong[1])}: give a function, or leave it out`;
}

/** How a read ended. `size` is in bytes. */
export type FileRead =
  | { kind: "read"; bytes: Uint8Array }
  | { kind: "not-found" }
  | { kind: "too-large"; size: number }
  | { kind: "failed"; message: string };

/** How a write or an append ended; `exists` only where nothing was to be overwritten. */
export type FileWrite = { kind: "written" } | { kind: "exists" } | { kind: "failed"; message: string };

/** How a removal ended. */
export type FileRemove = { kind: "removed" } | { kind: "not-found" } | { kind: "failed"; message: string };

/**
 * Files, for the layers that keep recordings. The core itself uses none; a host hands one in.
 *
 * Contract: failures are values, nothing throws. A write is atomic: after a crash at any point the target is what it was
 * or what it should be, never a part of it.
 */
export interface FilePort {
  /** The whole file, unless it has more than `maxBytes` bytes. */
  read(path: string, maxBytes: number): Promise<FileRead>;
  /**
   * Creates missing folders. Refuses with `exists`, atomically, unless `overwrite` is true. `mode` are the permissions of a
   * new file, from its first byte on, where the system has such: 0o600 for a secret.
   */
  write(path: string, text: string, options: { overwrite: boolean; mode?: number }): Promise<FileWrite>;
  /** Adds `text` at the end of a file, creating it if need be. One call is one write. */
  append(path: string, text: string): Promise<FileWrite>;
  /** Takes one file away, or one link to it; never a folder. */
  remove(path: string): Promise<FileRemove>;
  /**
   * Paths of all files below `folder` whose name ends with `suffix`, relative to it with `/`, sorted; undefined when
   * `folder` is no folder that can be read. Links to folders are followed, each folder once; a folder below that cannot be
   * read stands among the paths, so that reading it says why.
   */
  list(folder: string, suffix: string): Promise<string[] | undefined>;
}
