// Writing what was planned. First the reasons, then the lock, then the cassettes: what is stopped half-way is a reason without its
// cassette, which `cassette accepted` and the lock say, never a cassette that passes for accepted. The same command again
// completes it.

import { join, relative, resolve, sep } from "node:path";
import {
  ACCEPTED_FILE,
  DEFAULT_MAX_BYTES,
  formatAcceptance,
  formatLock,
  parseAcceptances,
  readLock,
  signAcceptance,
  signCassette,
  toLockEntry,
  type Acceptance,
  type CassetteStore,
  type Lock,
} from "../../cassette/index.js";
import { systemPorts, type FilePort, type SigningKeyObject } from "../../core/index.js";
import { pathInLock } from "../../harness/index.js";
import { CliError } from "../errors.js";
import type { CommandIo } from "../terminal/io.js";
import type { Blessing } from "./plan.js";

/** A run that is written, or half of which is. */
export type Written = Extract<Blessing, { status: "accepted" | "completed" }>;

export interface WriteOptions {
  into: string;
  reason: string;
  /** The lock's file. */
  lock: string;
  key: SigningKeyObject | undefined;
}

/** The reasons of a baseline; none where there is no file of them. Throws `CassetteError` for a malformed one. */
export async function readAcceptances(files: FilePort, into: string): Promise<{ text: string; lines: Acceptance[] }> {
  const file = join(into, ACCEPTED_FILE);
  const read = await files.read(file, DEFAULT_MAX_BYTES);
  if (read.kind === "not-found") return { text: "", lines: [] };
  if (read.kind !== "read") {
    throw new CliError("acceptance-not-written", `${file} cannot be read`, "Check the file and its folder.", file);
  }
  const text = new TextDecoder("utf-8", { fatal: false }).decode(read.bytes);
  return { text, lines: parseAcceptances(text, file) };
}

/** The lock, if there is one. */
export async function readLockIfThere(files: FilePort, lock: string): Promise<Lock | undefined> {
  return (await files.read(lock, 0)).kind === "not-found" ? undefined : readLock(files, lock);
}

/** True where there was a lock, which now has them. */
export async function writeBlessings(
  { store, files, io }: { store: CassetteStore; files: FilePort; io: CommandIo },
  written: readonly Written[],
  options: WriteOptions,
): Promise<boolean> {
  const lock = await toNewLock(files, written, options, io);
  await writeLines(files, written, options, io);
  if (lock !== undefined) await writeLock(files, options.lock, lock);
  for (const { status, to, cassette } of written) {
    if (status === "completed") continue;
    const { key } = options;
    const isBare = key !== undefined && cassette.signature === undefined;
    await store.save(to, isBare ? await signCassette(cassette, key) : cassette);
  }
  return lock !== undefined;
}

async function writeLines(
  files: FilePort,
  written: readonly Written[],
  { into, reason, key }: WriteOptions,
  io: CommandIo,
): Promise<void> {
  const acceptedAt = new Date(systemPorts.now()).toISOString();
  const lines: string[] = [];
  for (const { to, cassette, isExplained } of written) {
    if (isExplained) continue;
    const path = relative(resolve(io.cwd, into), resolve(io.cwd, to)).split(sep).join("/");
    const { cassetteId, envelopeHash } = cassette;
    const acceptance: Acceptance = { path, cassetteId, envelopeHash, reason, acceptedAt };
    lines.push(formatAcceptance(key === undefined ? acceptance : await signAcceptance(acceptance, key)));
  }
  if (lines.length === 0) return;
  const file = join(into, ACCEPTED_FILE);
  const { text } = await readAcceptances(files, into);
  const before = text === "" || text.endsWith("\n") ? text : `${text}\n`;
  const result = await files.write(file, before + lines.join(""), { overwrite: true });
  if (result.kind === "written") return;
  const why = result.kind === "failed" ? result.message : "it exists";
  const hint = "Nothing was accepted; check the file and its folder.";
  throw new CliError("acceptance-not-written", `${file} cannot be written: ${why}`, hint, file);
}

/** Where there is a lock that has room for the baseline, it learns of the new cassettes, and of nothing else. */
async function toNewLock(
  files: FilePort,
  written: readonly Written[],
  { lock: lockFile }: WriteOptions,
  io: CommandIo,
): Promise<Lock | undefined> {
  const known = await readLockIfThere(files, lockFile);
  if (known === undefined) return undefined;
  const lock = new Map(known);
  for (const { to, cassette } of written) {
    const path = pathInLock(resolve(io.cwd, lockFile), resolve(io.cwd, to));
    if (path === undefined) {
      const hint = "Name the lock above the baseline with --lock. Nothing was accepted.";
      throw new CliError("path-outside", `${to} would not be below the folder of ${lockFile}`, hint, to);
    }
    lock.set(path, toLockEntry(cassette));
  }
  return lock;
}

async function writeLock(files: FilePort, lockFile: string, lock: Lock): Promise<void> {
  const result = await files.write(lockFile, formatLock(lock), { overwrite: true });
  if (result.kind === "written") return;
  const why = result.kind === "failed" ? result.message : "it exists";
  throw new CliError(
    "lock-not-written",
    `${lockFile} cannot be written: ${why}`,
    "Run the same command again.",
    lockFile,
  );
}
