// The three layers of trust in one cassette, as far as somebody asked for them: its own hashes, the lock beside it, and a
// signature by a key that counts. See docs/trust.md.

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
  type SignatureFinding,
  type Trust,
} from "../../cassette/index.js";
import { systemPorts, type FilePort } from "../../core/index.js";
import { pathInLock } from "../../harness/index.js";
import { CliError, toFailure } from "../errors.js";
import { loadRecording, type Loaded } from "../recordings.js";

/** The flags that say what must hold. */
export interface LayerOptions {
  requireIntegrity?: boolean;
  /** "1" or "2". */
  minVersion?: string;
  /** True is the file in the working folder. */
  lock?: string | true;
  trust?: string;
  requireSignature?: boolean;
}

/** What holds of a cassette that was not refused. */
export interface Layers {
  /** `since-migration`: they hold, and prove nothing of the time before. */
  hashes: "hold" | "since-migration" | "none";
  lock: "confirms" | "not-asked";
  /** `unknown-key`: it holds under its own key, and nobody said whose keys count. */
  signature: "none" | "unknown-key" | "trusted";
  signatures: SignatureFinding[];
}

/** A cassette that was checked, with what holds; or why there is none. */
export type Layered = (Extract<Loaded, { kind: "loaded" }> & { layers: Layers }) | Extract<Loaded, { kind: "failed" }>;

export interface LayerCheck {
  /** All that the lock names, as paths from the working folder. Empty without a lock. */
  readonly lockedFiles: readonly string[];
  load(store: CassetteStore, file: string): Promise<Layered>;
}

/** Reads the lock and the trust list, if asked for. Throws `CassetteError` for what is wrong with them. */
export async function openLayers(files: FilePort, options: LayerOptions, cwd: string): Promise<LayerCheck> {
  const { requireSignature = false } = options;
  if (requireSignature && options.trust === undefined) {
    throw new CliError(
      "usage",
      "--require-signature was given without --trust",
      "Add --trust KEYS: anybody can sign with a key of their own.",
    );
  }
  const lockFile = options.lock === true ? LOCK_FILE : options.lock;
  const lock = lockFile === undefined ? undefined : { file: lockFile, lock: await openLockFile(files, lockFile) };
  const trust = options.trust === undefined ? undefined : await readTrust(files, options.trust);
  const base = {
    requireIntegrity: options.requireIntegrity === true,
    ...(options.minVersion === "2" ? { minVersion: 2 as const } : {}),
    ...(trust === undefined ? {} : { trust, requireSignature }),
  };

  return {
    lockedFiles: lock === undefined ? [] : [...lock.lock.keys()].map((path) => join(dirname(lock.file), path)),
    async load(store, file) {
      const place = lock && placeOf(lock, file, cwd);
      if (place?.kind === "failed") return place;
      const loaded = await loadRecording(store, file, {
        ...base,
        ...(place === undefined ? {} : { lock: place.lock }),
      });
      if (loaded.kind === "failed") {
        const isGone = loaded.failure.code === "file-not-found" && place?.lock.lock.has(place.lock.path) === true;
        return isGone ? failed(file, "it is missing: the lock has it, and there is no such file") : loaded;
      }
      return { ...loaded, layers: await layersOf(files, file, loaded.cassette, trust, lock !== undefined) };
    },
  };
}

/** `--lock cassettes` takes the folder for the lock, which is a mistake worth a word. */
async function openLockFile(files: FilePort, file: string): Promise<Lock> {
  if ((await files.list(file, LOCK_FILE)) === undefined) return readLock(files, file);
  throw new CliError(
    "usage",
    `${file} is a folder, not a lock`,
    `Put --lock after the paths, or name the file: --lock=${LOCK_FILE}.`,
  );
}

function placeOf(
  { file: lockFile, lock }: { file: string; lock: Lock },
  file: string,
  cwd: string,
): { kind: "placed"; lock: { lock: Lock; path: string } } | Extract<Loaded, { kind: "failed" }> {
  const path = pathInLock(resolve(cwd, lockFile), resolve(cwd, file));
  if (path !== undefined) return { kind: "placed", lock: { lock, path } };
  return failed(file, "it is not below the folder of the lock, so that the lock cannot have it");
}

function failed(file: string, message: string): Extract<Loaded, { kind: "failed" }> {
  const hint = "If that is meant, run cassette lock --update; else restore the file from version control.";
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
  const verdict = judgeSignatures(cassette, {
    now: systemPorts.now(),
    ...(trust === undefined ? {} : { trust }),
    ...(envelope === undefined ? {} : { envelope }),
  });
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
    lock === "confirms" ? "lock confirms" : "no lock asked",
    signature === "none" ? "unsigned" : `signed: ${who.join(", ")}`,
  ].join("; ");
}
