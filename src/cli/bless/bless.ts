// `cassette bless`: adds runs to a baseline as accepted variants, with a reason. Nothing is replaced, and nothing is written where
// one of the runs must not be accepted.

import { defined, parsePointer } from "../../core/index.js";
import { basename, relative, resolve } from "node:path";
import { CASSETTE_SUFFIX, createCassetteStore, MAX_REASON } from "../../cassette/index.js";
import type { FilePort, SigningKeyObject } from "../../core/index.js";
import { isCI, pathInLock } from "../../harness/index.js";
import { CliError } from "../errors.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { count, createPrinter, toJsonError, writeJson } from "../terminal/output.js";
import { findTarget, pathIn } from "../options/recordings.js";
import { readPrivateKey } from "../sign/key.js";
import { withClaim } from "./claim.js";
import { planBlessings, type Baseline, type Blessing, type Candidate, type Demands } from "./plan.js";
import { readAcceptances, readLockIfThere, writeBlessings, type Written } from "./write.js";

/** The flags of `cassette bless`, as commander gives them. */
export interface BlessOptions {
  into: string;
  reason: string;
  key?: string;
  lock: string;
  success?: string;
  allowError?: boolean;
  json?: boolean;
}

/** The variable whose key signs where `--key` is not given. */
export const KEY_VARIABLE = "CASSETTE_SIGNING_KEY";

/** Exits 2 or 3 when one run must not be accepted; then none is. */
export async function bless(paths: readonly string[], options: BlessOptions, io: CommandIo): Promise<void> {
  assertAllowed(options, io);
  const { into, reason, json = false } = options;
  const files = filesAt(io);
  const key = await keyOf(options, files, io);
  const store = createCassetteStore(files);
  const candidates = await candidatesOf(files, paths, options, io);
  const plan = async (): Promise<Blessing[]> => {
    return planBlessings(store, candidates, await readBaseline(files, options, io), demandsOf(options));
  };
  let blessings = await plan();
  let isLocked = false;
  if (toWrite(blessings).length > 0 && exitCodeFor(blessings) === EXIT.ok) {
    await withClaim(files, into, async () => {
      // Another one may have written since the first look.
      blessings = await plan();
      if (exitCodeFor(blessings) !== EXIT.ok) return;
      const written = toWrite(blessings);
      if (written.length > 0) isLocked = await writeBlessings({ store, files, io }, written, { ...options, key });
    });
  }
  const exitCode = exitCodeFor(blessings);
  io.exit(exitCode);
  if (json) writeJson(io, "bless", exitCode, { into, reason, locked: isLocked, runs: blessings.map(toJson) });
  else print(blessings, { into, isLocked, lock: options.lock, isSigned: key !== undefined, exitCode }, io);
}

function toWrite(blessings: readonly Blessing[]): Written[] {
  return blessings.filter(({ status }) => status === "accepted" || status === "completed") as Written[];
}

function demandsOf({ success, allowError }: BlessOptions): Demands {
  return { allowError: allowError === true, ...defined({ success }) };
}

async function readBaseline(files: FilePort, { into, lock: lockFile }: BlessOptions, io: CommandIo): Promise<Baseline> {
  const names = (await files.list(into, CASSETTE_SUFFIX)) ?? [];
  const { lines } = await readAcceptances(files, into);
  const lock = await readLockIfThere(files, lockFile);
  return {
    into,
    names,
    lines,
    isLocked(name, cassette) {
      if (lock === undefined) return true;
      const path = pathInLock(resolve(io.cwd, lockFile), resolve(io.cwd, into, name));
      // A lock that has no room for it lacks nothing.
      return path === undefined || lock.get(path)?.envelopeHash === cassette.envelopeHash;
    },
  };
}

function assertAllowed({ reason, success }: BlessOptions, io: CommandIo): void {
  if (isCI({ CI: io.env["CI"] })) {
    const hint = "Look at the drift on your own machine, bless it there, and commit what it wrote.";
    throw new CliError("bless-in-ci", "CI is set, and CI accepts nothing", hint);
  }
  if (success !== undefined && parsePointer(success) === undefined) {
    const hint = 'Give one into the outcome, such as "/reward".';
    throw new CliError("usage", `--success ${JSON.stringify(success)} is no JSON pointer`, hint);
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
    const word = (status === "accepted" || status === "completed") && exitCode !== EXIT.ok ? "left" : status;
    line({ look: isRefused ? "bad" : "good", text: word.padEnd(9) }, file, what);
  }
  const accepted = blessings.filter(({ status }) => status === "accepted").length;
  const completed = blessings.filter(({ status }) => status === "completed").length;
  if (exitCode !== EXIT.ok) {
    line({ look: "bad", text: "nothing was accepted" });
    return;
  }
  line(`${count(accepted, "run")} accepted into ${into}${isSigned && accepted > 0 ? ", signed" : ""}`);
  if (completed > 0) line(`${count(completed, "run")} of it given what was missing of the reason and the lock`);
  if (accepted + completed === 0) return;
  line({
    look: "dim",
    text: isLocked ? `${lock} has ${accepted + completed === 1 ? "it" : "them"}` : `there is no ${lock} to add to`,
  });
}
