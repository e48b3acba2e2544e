// `cassette bless`: adds runs to a baseline as accepted variants, with a reason. It replaces nothing, and writes nothing if one of
// the runs must not be accepted.

import { basename, resolve } from "node:path";
import { listCassettes, createCassetteStore, MAX_ACCEPTED_REASON } from "../../cassette/index.js";
import { defined, parsePointer, type FilePort, type SigningKeyObject } from "../../core/index.js";
import { isCI, pathInLock } from "../../harness/index.js";
import { isWithin } from "../../host/index.js";
import { withClaim, type Claimant } from "../claim.js";
import { CliError, exitCodeForAll, noCassettesIn, usageError } from "../errors.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { count, createPrinter, toJsonError, writeJson } from "../terminal/output.js";
import { findTarget, pathIn } from "../options/recordings.js";
import { readPrivateKey } from "../sign/key.js";
import { planBlessings, type Baseline, type Blessing, type Candidate } from "./plan.js";
import { readAcceptances, readLockIfThere, writeBlessings, type Written } from "./write.js";

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

const CLAIMANT: Claimant = {
  command: "bless",
  refusal: "nothing was accepted",
  notWritten: "acceptance-not-written",
};

/** Exits 2 or 3, and accepts nothing, when one run must not be accepted. */
export async function bless(paths: readonly string[], options: BlessOptions, io: CommandIo): Promise<void> {
  assertAllowed(options, io);
  const { into, reason, json = false } = options;
  const files = filesAt(io);
  const key = await keyOf(options, files, io);
  const store = createCassetteStore(files);
  const candidates = await candidatesOf(files, paths, into, io);
  const demands = { allowError: options.allowError === true, ...defined({ success: options.success }) };
  const plan = async (): Promise<Blessing[]> =>
    planBlessings(store, candidates, await readBaseline(files, options, io), demands);
  let blessings = await plan();
  let isLocked = false;
  if (toWrite(blessings).length > 0 && exitCodeFor(blessings) === EXIT.ok) {
    await withClaim(files, into, CLAIMANT, async () => {
      // Another process may have written since the first plan.
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

async function readBaseline(files: FilePort, { into, lock: lockFile }: BlessOptions, io: CommandIo): Promise<Baseline> {
  const names = (await listCassettes(files, into)) ?? [];
  const { lines } = await readAcceptances(files, into);
  const lock = await readLockIfThere(files, lockFile);
  return {
    into,
    names,
    lines,
    isLocked(name, cassette) {
      if (lock === undefined) return true;
      const path = pathInLock(resolve(io.cwd, lockFile), resolve(io.cwd, into, name));
      // A lock in another folder cannot list it, so nothing is missing.
      return path === undefined || lock.get(path)?.envelopeHash === cassette.envelopeHash;
    },
  };
}

function assertAllowed({ reason, success }: BlessOptions, io: CommandIo): void {
  if (isCI({ CI: io.env["CI"] })) {
    const hint = "Review the drift on your own machine, bless it there, and commit the result.";
    throw new CliError("bless-in-ci", "CI is set, and nothing is accepted in CI", hint);
  }
  assertSuccessPointer(success);
  if (reason.trim() === "") throw usageError("--reason is empty", "Say why the new behaviour is right.");
  if (reason.length <= MAX_ACCEPTED_REASON && reason.isWellFormed()) return;
  throw usageError(
    `--reason has ${reason.length} characters`,
    `The limit is ${MAX_ACCEPTED_REASON}. Link to the rest.`,
  );
}

/** Throws `usage` unless `--success` is absent or a JSON pointer. */
export function assertSuccessPointer(success: string | undefined): void {
  if (success === undefined || parsePointer(success) !== undefined) return;
  const hint = 'Give a pointer into the outcome, such as "/reward".';
  throw usageError(`--success ${JSON.stringify(success)} is not a JSON pointer`, hint);
}

async function keyOf(options: BlessOptions, files: FilePort, io: CommandIo): Promise<SigningKeyObject | undefined> {
  const fromEnvironment = (io.env[KEY_VARIABLE] ?? "") === "" ? undefined : `env:${KEY_VARIABLE}`;
  const key = options.key ?? fromEnvironment;
  return key === undefined ? undefined : readPrivateKey(files, key, io);
}

/** A run inside the baseline cannot be a candidate. */
async function candidatesOf(files: FilePort, paths: readonly string[], into: string, io: CommandIo) {
  const candidates: Candidate[] = [];
  for (const path of paths) {
    const target = await findTarget(files, path);
    if (target.kind !== "folder") candidates.push({ file: path, name: basename(path) });
    else if (target.names.length === 0) throw noCassettesIn(path);
    else for (const name of target.names) candidates.push({ file: pathIn(path, name), name });
  }
  const inside = candidates.find(({ file }) => {
    const [folder, own] = [resolve(io.cwd, into), resolve(io.cwd, file)];
    return own !== folder && isWithin(folder, own);
  });
  if (inside === undefined) return candidates;
  throw usageError(`${inside.file} is in the baseline already`, "Name runs outside the baseline.");
}

function exitCodeFor(blessings: readonly Blessing[]): ExitCode {
  return exitCodeForAll(blessings.flatMap((blessing) => (blessing.status === "refused" ? [blessing.failure] : [])));
}

function toJson(blessing: Blessing): object {
  const { file, status } = blessing;
  if (blessing.status === "refused") return { file, status, error: toJsonError(blessing.failure) };
  return { file, status, to: blessing.to };
}

function print(
  blessings: readonly Blessing[],
  run: { into: string; isLocked: boolean; lock: string; isSigned: boolean; exitCode: ExitCode },
  io: CommandIo,
): void {
  const { into, isLocked, lock, isSigned, exitCode } = run;
  const line = createPrinter(io);
  for (const blessing of blessings) {
    const { status, file } = blessing;
    const isRefused = status === "refused";
    const what = isRefused ? `  ${blessing.failure.code}: ${blessing.failure.message}` : `  → ${blessing.to}`;
    const word = (status === "accepted" || status === "completed") && exitCode !== EXIT.ok ? "left" : status;
    line({ look: isRefused ? "bad" : "good", text: word.padEnd(11) }, file, what);
  }
  const having = (wanted: Blessing["status"]) => blessings.filter(({ status }) => status === wanted).length;
  const [accepted, completed] = [having("accepted"), having("completed")];
  if (exitCode !== EXIT.ok) {
    line({ look: "bad", text: "nothing was accepted" });
    return;
  }
  line(`${count(accepted, "run")} accepted into ${into}${isSigned && accepted > 0 ? ", signed" : ""}`);
  if (completed > 0)
    line(`${count(completed, "run")} of it completed: its reason or its place in the lock was missing`);
  if (accepted + completed === 0) return;
  const listed = `${lock} lists ${accepted + completed === 1 ? "it" : "them"}`;
  line({ look: "dim", text: isLocked ? listed : `there is no ${lock} to add to` });
}
