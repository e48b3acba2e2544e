// The lock: one committed file that lists all cassettes with their envelope hashes. It catches changes that a cassette alone cannot
// show: a new recording, new hashes, an added or missing file, and a version 2 stripped to a version 1. Specification:
// docs/cassette-format.md.

import { defined, isPlainObject, toVisible, type FilePort } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import type { Cassette, CassetteV2 } from "../file/format.js";
import { parseStrictJson } from "../file/json.js";
import { readWhole } from "../file/read-bytes.js";
import type { Refuse } from "../file/downgrade.js";
import { DEFAULT_MAX_FILE_BYTES } from "../limits.js";

export const LOCK_FILE = "cassettes.lock";

/** The entry of one cassette in a lock file. Ids and hashes are those in the cassette, as hex. */
export interface LockEntry {
  version: 2;
  cassetteId: string;
  envelopeHash: string;
  /** The number of turns. */
  entries: number;
}

/** Entries by path: relative to the folder of the lock, with `/`. */
export type Lock = ReadonlyMap<string, LockEntry>;

/** A lock, and the path that one cassette has in it. */
export interface LockPlace {
  readonly lock: Lock;
  readonly path: string;
}

const HEX_32 = /^[0-9a-f]{32}$/;
const HEX_64 = /^[0-9a-f]{64}$/;
const ENTRY_FIELDS = ["version", "cassetteId", "envelopeHash", "entries"];
const HINT = "Restore the lock from version control, or write it anew with cassette lock after a review.";

export function toLockEntry({ version, cassetteId, envelopeHash, entries }: CassetteV2): LockEntry {
  return { version, cassetteId, envelopeHash, entries: entries.length };
}

/** True for a path that a lock may hold: relative, with `/`, no part of it empty, `.` or `..`, and no drive. */
export function isLockPath(path: string): boolean {
  if (path.includes("\\") || path.includes("\0") || /^[A-Za-z]:/.test(path) || !path.isWellFormed()) return false;
  return path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

/** A lock from its text. Throws {@link CassetteError}: `lock-malformed`, or the code of what is wrong with the JSON. */
export function parseLock(input: string | Uint8Array, options: { file?: string } = {}): Lock {
  const refuse = (message: string, pointer: string): never => {
    const { file } = options;
    throw new CassetteError("lock-malformed", `the lock ${message}`, { pointer, hint: HINT, ...defined({ file }) });
  };
  const value = parseStrictJson(input, { ...options, remedy: HINT });
  if (!isPlainObject(value)) return refuse("is not an object", "");
  if (value["lockVersion"] !== 1) {
    return refuse(`has lockVersion ${JSON.stringify(value["lockVersion"]) ?? "missing"}, not 1`, "/lockVersion");
  }
  const unknown = Object.keys(value).find((key) => key !== "lockVersion" && key !== "cassettes");
  if (unknown !== undefined) return refuse(`has a field nobody knows: ${JSON.stringify(unknown)}`, `/${unknown}`);
  const cassettes = value["cassettes"];
  if (!isPlainObject(cassettes)) return refuse("has no object of cassettes", "/cassettes");
  return new Map(Object.entries(cassettes).map(([path, entry]) => [path, checkEntry(path, entry, refuse)]));
}

function checkEntry(path: string, entry: unknown, refuse: (message: string, pointer: string) => never): LockEntry {
  const name = JSON.stringify(path);
  if (!isLockPath(path)) return refuse(`holds a path that is not relative and plain: ${name}`, "/cassettes");
  if (!isPlainObject(entry)) return refuse(`holds no object for ${name}`, "/cassettes");
  const unknown = Object.keys(entry).find((key) => !ENTRY_FIELDS.includes(key));
  if (unknown !== undefined) refuse(`has a field nobody knows for ${name}: ${JSON.stringify(unknown)}`, "/cassettes");
  const { version, cassetteId, envelopeHash, entries } = entry;
  if (version !== 2)
    return refuse(`has version ${JSON.stringify(version)} for ${name}; only 2 is locked`, "/cassettes");
  if (typeof cassetteId !== "string" || !HEX_32.test(cassetteId)) {
    return refuse(`has no cassetteId of 32 lower-case hex digits for ${name}`, "/cassettes");
  }
  if (typeof envelopeHash !== "string" || !HEX_64.test(envelopeHash)) {
    return refuse(`has no envelopeHash of 64 lower-case hex digits for ${name}`, "/cassettes");
  }
  if (!Number.isSafeInteger(entries) || (entries as number) < 0) {
    return refuse(`has no count of entries for ${name}`, "/cassettes");
  }
  return { version, cassetteId, envelopeHash, entries: entries as number };
}

/** The lock in a file. Throws {@link CassetteError} like `parseLock`, and `file-not-found` or `file-unreadable`. */
export async function readLock(files: FilePort, path: string): Promise<Lock> {
  const missing = "Write it with cassette lock, review it and commit it; or check the path.";
  const bytes = await readWhole(files, path, { what: "lock", maxBytes: DEFAULT_MAX_FILE_BYTES, missing });
  return parseLock(bytes, { file: path });
}

/** The text of a lock file: sorted by path (UTF-16 code units), two spaces, one final newline. */
export function formatLock(lock: Lock): string {
  const lines = [...lock.keys()].sort().map((path) => {
    const { version, cassetteId, envelopeHash, entries } = lock.get(path) as LockEntry;
    const entry = JSON.stringify({ version, cassetteId, envelopeHash, entries }, null, 2).replaceAll("\n", "\n    ");
    return `    ${JSON.stringify(path)}: ${entry}`;
  });
  const cassettes = lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n  }`;
  return `{\n  "lockVersion": 1,\n  "cassettes": ${cassettes}\n}\n`;
}

/** The differences from the lock in words, such as "it has 2 turns, not 3". Empty if the lock confirms the cassette. */
export function lockDifferences(locked: LockEntry, now: LockEntry): string[] {
  const found: string[] = [];
  if (now.cassetteId !== locked.cassetteId) {
    found.push(
      `it is another recording (cassetteId ${now.cassetteId.slice(0, 8)}…, not ${locked.cassetteId.slice(0, 8)}…)`,
    );
  }
  if (now.entries !== locked.entries) found.push(`it has ${now.entries} turns, not ${locked.entries}`);
  if (now.envelopeHash !== locked.envelopeHash) {
    found.push(`its envelopeHash is ${now.envelopeHash.slice(0, 8)}…, not ${locked.envelopeHash.slice(0, 8)}…`);
  }
  return found;
}

export function checkLocked(cassette: Cassette, { lock, path }: LockPlace, refuse: Refuse): void {
  const say = (what: string, pointer: string): never => refuse("lock-mismatch", what, pointer, MISMATCH_HINT);
  const locked = lock.get(path);
  if (locked === undefined) return say(`it is new: the lock has no ${toVisible(path)}`, "");
  const { version } = cassette;
  if (version < locked.version)
    say(`it has version ${version}, lower than the ${locked.version} of the lock`, "/version");
  const found = cassette.version === 2 ? lockDifferences(locked, toLockEntry(cassette)) : [];
  if (found.length > 0) say(`it is not the cassette that was locked: ${found.join("; ")}`, "/envelopeHash");
}

const MISMATCH_HINT =
  "If the change is meant, review the cassette and run cassette lock --update; else restore it from version control.";
