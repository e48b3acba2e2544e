// The three layers of trust in one cassette, as far as the options require them: its own hashes, the lock, and a signature by a
// trusted key. See docs/trust.md.

import { dirname, join, resolve } from "node:path";
import {
  CassetteError,
  describeFinding,
  judgeSignatures,
  LOCK_FILE,
  migrationOf,
  readEnvelope,
  readLock,
  readTrust,
  type Cassette,
  type CassetteStore,
  type Lock,
  type LockEntry,
  type LockPlace,
  type SignatureFinding,
  type Trust,
} from "../../cassette/index.js";
import { defined, systemPorts, type FilePort } from "../../core/index.js";
import { pathInLock } from "../../harness/index.js";
import { toFailure, usageError } from "../errors.js";
import { loadRecording, type Loaded } from "../options/recordings.js";

export interface LayerOptions {
  requireIntegrity?: boolean;
  /** "1" or "2". */
  minVersion?: string;
  /** True for the file in the working folder. */
  lock?: string | true;
  trust?: string;
  requireSignature?: boolean;
  maxBytes?: number;
}

/** The layers that hold for a cassette that was not refused. */
export interface Layers {
  /** `since-migration`: they hold, and prove nothing about the time before. */
  hashes: "hold" | "since-migration" | "none";
  lock: "confirms" | "not-asked";
  /** `unknown-key`: it holds under its own key, and there is no trust file. */
  signature: "none" | "unknown-key" | "trusted";
  signatures: SignatureFinding[];
}

/** A cassette with its layers, or its failure. */
export type Layered = (Extract<Loaded, { kind: "loaded" }> & { layers: Layers }) | Extract<Loaded, { kind: "failed" }>;

/** The requirements on every file, as plain data for other threads. */
export interface LayerRules {
  requireIntegrity: boolean;
  minVersion: 1 | 2;
  maxBytes: number | undefined;
  isLocked: boolean;
  trust: Trust | undefined;
  requireSignature: boolean;
}

/** One file with its entry of the lock. */
export interface LayerJob {
  file: string;
  /** `outside`: the lock cannot list files in that folder. Absent without a lock. */
  locked?: { path: string; entry?: LockEntry } | "outside";
}

interface Layering {
  readonly rules: LayerRules;
  /** The files of the lock, relative to the working folder. Empty without a lock. */
  readonly lockedFiles: readonly string[];
  readonly jobOf: (file: string) => LayerJob;
}

/** Reads the lock and the trust file of the options. Throws `CassetteError` if one cannot be read. */
export async function openLayers(files: FilePort, options: LayerOptions, cwd: string): Promise<Layering> {
  const { requireSignature = false, requireIntegrity = false, maxBytes } = options;
  if (requireSignature && options.trust === undefined) {
    const hint = "Add --trust KEYS. Without it, anybody can sign with their own key.";
    throw usageError("--require-signature was given without --trust", hint);
  }
  const lockFile = options.lock === true ? LOCK_FILE : options.lock;
  const lock = lockFile === undefined ? undefined : await openLockFile(files, lockFile);
  const trust = options.trust === undefined ? undefined : await readTrust(files, options.trust);
  const minVersion = options.minVersion === "2" ? 2 : 1;
  const isLocked = lock !== undefined;
  const rules: LayerRules = { requireIntegrity, minVersion, maxBytes, isLocked, trust, requireSignature };
  if (lockFile === undefined || lock === undefined) return { rules, lockedFiles: [], jobOf: (file) => ({ file }) };

  return {
    rules,
    lockedFiles: [...lock.keys()].map((path) => join(dirname(lockFile), path)),
    jobOf(file) {
      const path = pathInLock(resolve(cwd, lockFile), resolve(cwd, file));
      const entry = lock.get(path ?? "");
      return { file, locked: path === undefined ? "outside" : { path, ...defined({ entry }) } };
    },
  };
}

export async function loadLayered(
  files: FilePort,
  store: CassetteStore,
  { requireIntegrity, minVersion, maxBytes, isLocked, trust, requireSignature }: LayerRules,
  { file, locked }: LayerJob,
): Promise<Layered> {
  if (locked === "outside") {
    return failed(file, "it is not below the folder of the lock, so the lock cannot list it");
  }
  const loaded = await loadRecording(store, file, {
    requireIntegrity,
    minVersion,
    ...defined({ maxBytes }),
    ...(trust === undefined ? {} : { trust, requireSignature }),
    ...(locked === undefined ? {} : { lock: placeOf(locked) }),
  });
  if (loaded.kind === "failed") {
    const isGone = loaded.failure.code === "file-not-found" && locked?.entry !== undefined;
    return isGone ? failed(file, "it is missing: the lock lists it, and the file does not exist") : loaded;
  }
  return { ...loaded, layers: await layersOf(files, file, loaded.cassette, trust, isLocked) };
}

function placeOf({ path, entry }: { path: string; entry?: LockEntry }): LockPlace {
  return { path, lock: new Map(entry === undefined ? [] : [[path, entry]]) };
}

/** Has a message of its own for `--lock cassettes`, which takes the folder as the lock. */
async function openLockFile(files: FilePort, file: string): Promise<Lock> {
  if ((await files.list(file, LOCK_FILE)) === undefined) return readLock(files, file);
  const hint = `Put --lock after the paths, or name the file: --lock=${LOCK_FILE}.`;
  throw usageError(`${file} is a folder, not a lock`, hint);
}

function failed(file: string, message: string): Extract<Loaded, { kind: "failed" }> {
  const hint = "Restore the file from version control, or run npx playhead lock --update if the change is right.";
  return { kind: "failed", file, failure: toFailure(new CassetteError("lock-mismatch", message, { file, hint })) };
}

async function layersOf(
  files: FilePort,
  file: string,
  cassette: Cassette,
  trust: Trust | undefined,
  isLocked: boolean,
): Promise<Layers> {
  const lock = isLocked ? "confirms" : "not-asked";
  if (cassette.version === 1) return { hashes: "none", lock, signature: "none", signatures: [] };
  const envelope = trust === undefined ? undefined : await readEnvelope(files, file);
  const verdict = judgeSignatures(cassette, { now: systemPorts.now(), ...defined({ trust, envelope }) });
  const signatures = verdict.kind === "trusted" || verdict.kind === "untrusted" ? verdict.signatures : [];
  const signature = signatures.length === 0 ? "none" : verdict.kind === "trusted" ? "trusted" : "unknown-key";
  const hashes = migrationOf(cassette) === undefined ? "hold" : "since-migration";
  return { hashes, lock, signature, signatures };
}

const HASHES: Record<Layers["hashes"], string> = {
  hold: "hashes hold",
  "since-migration": "hashes hold since it was migrated from version 1",
  none: "no hashes",
};

/** One phrase for each layer. */
export function describeLayers({ hashes, lock, signature, signatures }: Layers): string {
  const who = signatures
    .filter(({ status }) => signature !== "trusted" || status === "trusted")
    .map((finding) => (signature === "trusted" ? describeFinding(finding) : `key ${finding.keyId}, unknown`));
  return [
    HASHES[hashes],
    lock === "confirms" ? "lock confirms" : "no lock checked",
    signature === "none" ? "unsigned" : `signed: ${who.join(", ")}`,
  ].join("; ");
}
