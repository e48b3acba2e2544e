// `cassette bless`: adds runs to a baseline as accepted variants, with a reason. Nothing is replaced, and nothing is written where
// one of the runs must not be accepted. The order of writing is cassette, lock, line: what is stopped half-way is a cassette that
// the lock does not confirm, never one that passes for accepted.

import { basename, join, relative, resolve, sep } from "node:path";
import {
  ACCEPTED_FILE,
  CASSETTE_SUFFIX,
  createCassetteStore,
  formatAcceptance,
  formatLock,
  MAX_REASON,
  readLock,
  signAcceptance,
  signCassette,
  toLockEntry,
  type Acceptance,
  type CassetteStore,
  type CassetteV2,
} from "../../cassette/index.js";
import { systemPorts, type FilePort, type SigningKeyObject } from "../../core/index.js";
import { isCI, pathInLock } from "../../harness/index.js";
import { CliError } from "../errors.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../io.js";
import { count, createPrinter, toJsonError, writeJson } from "../output.js";
import { findTarget, pathIn } from "../recordings.js";
import { readPrivateKey } from "../sign/key.js";
import { planBlessings, type Blessing, type Candidate } from "./plan.js";

/** The flags of `cassette bless`, as commander gives them. */
export interface BlessOptions {
  into: string;
  reason: string;
  key?: string;
  lock: string;
  json?: boolean;
}

/** The variable whose key signs where `--key` is not given. */
export const KEY_VARIABLE = "CASSETTE_SIGNING_KEY";

type Accepted = Extract<Blessing, { status: "accepted" }>;

/** Exits 2 or 3 when one run must not be accepted; then none is. */
export async function bless(paths: readonly string[], options: BlessOptions, io: CommandIo): Promise<void> {
  assertAllowed(options, io);
  const { into, reason, json = false } = options;
  const files = filesAt(io);
  const key = await keyOf(options, files, io);
  const store = createCassetteStore(files);
  const names = (await files.list(into, CASSETTE_SUFFIX)) ?? [];
  const blessings = await planBlessings(store, await candidatesOf(files, paths, options, io), { into, names });
  const exitCode = exitCodeFor(blessings);
  const accepted = blessings.filter((blessing) => blessing.status === "accepted");
  let isLocked = false;
  if (exitCode === EXIT.ok && accepted.length > 0) {
    const written = await writeAll(store, accepted, key);
    isLocked = await updateLock(files, options.lock, written, io);
    await appendLines(files, written, { into, reason, key, io });
  }
  io.exit(exitCode);
  if (json) writeJson(io, "bless", exitCode, { into, reason, locked: isLocked, runs: blessings.map(toJson) });
  else print(blessings, { into, isLocked, lock: options.lock, isSigned: key !== undefined, exitCode }, io);
}

function assertAllowed({ reason }: BlessOptions, io: CommandIo): void {
  if (isCI({ CI: io.env["CI"] })) {
    const hint = "Look at the drift on your own machine, bless it there, and commit what it wrote.";
    throw new CliError("bless-in-ci", "CI is set, and CI accepts nothing", hint);
  }
  if (reason.trim() === "") throw new CliError("usage", "--reason is empty", "Say why the behaviour may change.");
  if (reason.length <= MAX_REASON && reason.isWellFormed()) return;
  throw new CliError(
    "usage",
    `--reason has ${reason.length} characters`,
    `The limit is ${MAX_REASON}; link to the rest.`,
  );
}

async function keyOf(options: BlessOptions, files: FilePort, io: CommandIo): Promise<SigningKeyObject | undefined> {
  const fromEnvironment = (io.env[KEY_VARIABLE] ?? "") === "" ? undefined : `env:${KEY_VARIABLE}`;
  const key = options.key ?? fromEnvironment;
  return key === undefined ? undefined : readPrivateKey(files, key, io);
}

/** Every run that the paths mean. A run inside the baseline is there already and no candidate for it. */
async function candidatesOf(
  files: FilePort,
  paths: readonly string[],
  { into }: BlessOptions,
  io: CommandIo,
): Promise<Candidate[]> {
  const candidates: Candidate[] = [];
  for (const path of paths) {
    const target = await findTarget(files, path);
    if (target.kind !== "folder") candidates.push({ file: path, name: basename(path) });
    else {
      if (target.names.length === 0) {
        throw new CliError("nothing-found", "the folder holds no *.cassette.json file", "Check the path.", path);
      }
      for (const name of target.names) candidates.push({ file: pathIn(path, name), name });
    }
  }
  const inside = candidates.find(({ file }) => {
    const below = relative(resolve(io.cwd, into), resolve(io.cwd, file));
    return below !== "" && !below.startsWith("..");
  });
  if (inside === undefined) return candidates;
  throw new CliError("usage", `${inside.file} lies in the baseline itself`, "Name the runs to be added to it.");
}

async function writeAll(
  store: CassetteStore,
  accepted: readonly Accepted[],
  key: SigningKeyObject | undefined,
): Promise<{ to: string; cassette: CassetteV2 }[]> {
  const written: { to: string; cassette: CassetteV2 }[] = [];
  for (const { to, cassette } of accepted) {
    const isBare = key !== undefined && cassette.signature === undefined;
    const copy = isBare ? await signCassette(cassette, key) : cassette;
    await store.save(to, copy);
    written.push({ to, cassette: copy });
  }
  return written;
}

/** Where there is a lock that has room for the baseline, it learns of the new cassettes, and of nothing else. */
async function updateLock(
  files: FilePort,
  lockFile: string,
  written: readonly { to: string; cassette: CassetteV2 }[],
  io: CommandIo,
): Promise<boolean> {
  if ((await files.read(lockFile, 0)).kind === "not-found") return false;
  const lock = new Map(await readLock(files, lockFile));
  for (const { to, cassette } of written) {
    const path = pathInLock(resolve(io.cwd, lockFile), resolve(io.cwd, to));
    if (path === undefined) {
      const hint = "Name the lock above the baseline with --lock, and run cassette lock for what was written.";
      throw new CliError("path-outside", `${to} was written and is not below the folder of ${lockFile}`, hint, to);
    }
    lock.set(path, toLockEntry(cassette));
  }
  const result = await files.write(lockFile, formatLock(lock), { overwrite: true });
  if (result.kind === "written") return true;
  const why = result.kind === "failed" ? result.message : "it exists";
  throw new CliError("lock-not-written", `${lockFile} cannot be written: ${why}`, "Run cassette lock.", lockFile);
}

interface Lines {
  into: string;
  reason: string;
  key: SigningKeyObject | undefined;
  io: CommandIo;
}

async function appendLines(
  files: FilePort,
  written: readonly { to: string; cassette: CassetteV2 }[],
  { into, reason, key, io }: Lines,
): Promise<void> {
  const acceptedAt = new Date(systemPorts.now()).toISOString();
  const lines: string[] = [];
  for (const { to, cassette } of written) {
    const path = relative(resolve(io.cwd, into), resolve(io.cwd, to)).split(sep).join("/");
    const { cassetteId, envelopeHash } = cassette;
    const acceptance: Acceptance = { path, cassetteId, envelopeHash, reason, acceptedAt };
    lines.push(formatAcceptance(key === undefined ? acceptance : await signAcceptance(acceptance, key)));
  }
  const file = join(into, ACCEPTED_FILE);
  const result = await files.append(file, lines.join(""));
  if (result.kind === "written") return;
  const why = result.kind === "failed" ? result.message : "it exists";
  const hint = "The cassettes were written; write the reason into the commit.";
  throw new CliError("acceptance-not-written", `${file} cannot be written: ${why}`, hint, file);
}

function exitCodeFor(blessings: readonly Blessing[]): ExitCode {
  const failures = blessings.flatMap((blessing) => (blessing.status === "refused" ? [blessing.failure] : []));
  if (failures.some(({ exitCode }) => exitCode === EXIT.integrity)) return EXIT.integrity;
  return failures.length > 0 ? EXIT.failed : EXIT.ok;
}

function toJson(blessing: Blessing): object {
  const { file, status } = blessing;
  if (blessing.status === "refused") return { file, status, error: toJsonError(blessing.failure) };
  return { file, status, to: blessing.to };
}

interface Printed {
  into: string;
  isLocked: boolean;
  lock: string;
  isSigned: boolean;
  exitCode: ExitCode;
}

function print(
  blessings: readonly Blessing[],
  { into, isLocked, lock, isSigned, exitCode }: Printed,
  io: CommandIo,
): void {
  const line = createPrinter(io);
  for (const blessing of blessings) {
    const { status, file } = blessing;
    const isRefused = status === "refused";
    const what = isRefused ? `  ${blessing.failure.code}: ${blessing.failure.message}` : `  → ${blessing.to}`;
    const word = status === "accepted" && exitCode !== EXIT.ok ? "left" : status;
    line({ look: isRefused ? "bad" : "good", text: word.padEnd(9) }, file, what);
  }
  const accepted = blessings.filter(({ status }) => status === "accepted").length;
  if (exitCode !== EXIT.ok) {
    line({ look: "bad", text: "nothing was accepted" });
    return;
  }
  line(`${count(accepted, "run")} accepted into ${into}${isSigned && accepted > 0 ? ", signed" : ""}`);
  if (accepted === 0) return;
  line({
    look: "dim",
    text: isLocked ? `${lock} has ${accepted === 1 ? "it" : "them"}` : `there is no ${lock} to add to`,
  });
}
