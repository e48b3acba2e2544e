// The lock: one committed file that lists all cassettes with their envelope hashes. It reveals changes that a cassette alone cannot:
// a new recording, new hashes, an added or missing file, and a version 2 stripped to version 1. Specification: docs/cassette-format.md.

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

/** A lock, and the path of one cassette in it. */
export interface LockPlace {
  readonly lock: Lock;
  readonly path: string;
}

const HEX_32 = /^[0-9a-f]{32}$/;
const HEX_64 = /^[0-9a-f]{64}$/;
const ENTRY_FIELDS = ["version", "cassetteId", "envelopeHash", "entries"];
const HINT = "Restore the lock from version control, or review the cassettes and write a new lock with cassette lock.";

export function toLockEntry({ version, cassetteId, envelopeHash, entries }: CassetteV2): LockEntry {
  return { version, cassetteId, envelopeHash, entries: entries.length };
}

/** True for a valid path in a lock: relative, with `/`, without a drive and without empty, `.` or `..` segments. */
export function isLockPath(path: string): boolean {
  if (path.includes("\\") || path.includes("\0") || /^[A-Za-z]:/.test(path) || !path.isWellFormed()) return false;
  return path.split("/").every((part) => part !== "" && part !== "." && part !== "..");
}

/** Parses a lock. Throws {@link CassetteError}: `lock-malformed`, or the code of the error in the JSON. */
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
  if (unknown !== undefined) return refuse(`has an unknown field: ${JSON.stringify(unknown)}`, `/${unknown}`);
  const cassettes = value["cassettes"];
  if (!isPlainObject(cassettes)) return refuse("has no object named cassettes", "/cassettes");
  return new Map(Object.entries(cassettes).map(([path, entry]) => [path, checkEntry(path, entry, refuse)]));
}

function checkEntry(path: string, entry: unknown, refuse: (message: string, pointer: string) => never): LockEntry {
  const name = JSON.stringify(path);
  if (!isLockPath(path)) return refuse(`has a path that is not plain and relative: ${name}`, "/cassettes");
  if (!isPlainObject(entry)) return refuse(`has an entry that is not an object: ${name}`, "/cassettes");
  const unknown = Object.keys(entry).find((key) => !ENTRY_FIELDS.includes(key));
  if (unknown !== undefined)
    refuse(`has an unknown field in the entry of ${name}: ${JSON.stringify(unknown)}`, "/cassettes");
  const { version, cassetteId, envelopeHash, entries } = entry;
  if (version !== 2)
    return refuse(`has version ${JSON.stringify(version)} for ${name}, but only version 2 can be locked`, "/cassettes");
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

/** Reads a lock file. Throws {@link CassetteError} like `parseLock`, and `file-not-found` or `file-unreadable`. */
export async function readLock(files: FilePort, path: string): Promise<Lock> {
  const missing = "Check the path, or write the lock with cassette lock, review it and commit it.";
  const bytes = await readWhole(files, path, { what: "lock", maxBytes: DEFAULT_MAX_FILE_BYTES, missing });
  return parseLock(bytes, { file: path });
}

/** Returns the text of a lock file: sorted by path (UTF-16 code units), indented by two spaces, one final newline. */
export function formatLock(lock: Lock): string {
  const lines = [...lock.keys()].sort().map((path) => {
    const { version, cassetteId, envelopeHash, entries } = lock.get(path) as LockEntry;
    const entry = JSON.stringify({ version, cassetteId, envelopeHash, entries }, null, 2).replaceAll("\n", "\n    ");
    return `    ${JSON.stringify(path)}: ${entry}`;
  });
  const cassettes = lines.length === 0 ? "{}" : `{\n${lines.join(",\n")}\n  }`;
  return `{\n  "lockVersion": 1,\n  "cassettes": ${cassettes}\n}\n`;
}

/** Describes the differences from the lock, such as "it has 2 turns, not 3". Empty if the lock confirms the cassette. */
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
  "If the change is intended, review the cassette and run cassette lock --update. If not, restore it from version control.";
