// Writes the plan: first the reasons, then the lock, then the cassettes. An interruption leaves a reason without its cassette, which
// `cassette accepted` and the lock report, and never a cassette that passes for accepted. The same command completes it.

import { join, relative, resolve, sep } from "node:path";
import {
  ACCEPTED_FILE,
  DEFAULT_MAX_FILE_BYTES,
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
import { whyUnread, writeText } from "../options/file.js";
import type { CommandIo } from "../terminal/io.js";
import type { Blessing } from "./plan.js";

export type Written = Extract<Blessing, { status: "accepted" | "completed" }>;

interface WriteOptions {
  into: string;
  reason: string;
  /** The lock's file. */
  lock: string;
  key: SigningKeyObject | undefined;
}

/** The reasons of a baseline, empty without a file. Throws `CassetteError` for a malformed file. */
export async function readAcceptances(files: FilePort, into: string): Promise<{ text: string; lines: Acceptance[] }> {
  const file = join(into, ACCEPTED_FILE);
  const read = await files.read(file, DEFAULT_MAX_FILE_BYTES);
  if (read.kind === "not-found") return { text: "", lines: [] };
  if (read.kind !== "read") {
    const what = `${file} ${whyUnread(read, DEFAULT_MAX_FILE_BYTES)}`;
    throw new CliError("acceptance-not-written", what, "Check the file and its folder.", file);
  }
  const text = new TextDecoder("utf-8", { fatal: false }).decode(read.bytes);
  return { text, lines: parseAcceptances(text, file) };
}

export async function readLockIfThere(files: FilePort, lock: string): Promise<Lock | undefined> {
  return (await files.read(lock, 0)).kind === "not-found" ? undefined : readLock(files, lock);
}

/** True if there is a lock, which now lists the runs. */
export async function writeBlessings(
  { store, files, io }: { store: CassetteStore; files: FilePort; io: CommandIo },
  written: readonly Written[],
  options: WriteOptions,
): Promise<boolean> {
  const lock = await toNewLock(files, written, options, io);
  await writeLines(files, written, options, io);
  if (lock !== undefined) await writeLock(files, options.lock, lock);
  const { key } = options;
  for (const { status, to, cassette } of written) {
    if (status === "completed") continue;
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
  const hint = "Nothing was accepted. Check the file and its folder.";
  await writeText(files, file, before + lines.join(""), { code: "acceptance-not-written", overwrite: true, hint });
}

/** The lock, if there is one, with the new cassettes and no other change. */
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
      const hint = "Nothing was accepted. Use --lock to name a lock in a folder above the baseline.";
      throw new CliError("path-outside", `${to} is not below the folder of ${lockFile}`, hint, to);
    }
    lock.set(path, toLockEntry(cassette));
  }
  return lock;
}

/** Replaces the lock. Throws `CliError` `lock-not-written`. */
export async function writeLock(files: FilePort, lockFile: string, lock: Lock): Promise<void> {
  const hint = "Check the folder, and run the command again.";
  await writeText(files, lockFile, formatLock(lock), { code: "lock-not-written", overwrite: true, hint });
}
