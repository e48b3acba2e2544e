// `cassette verify`: loads every file, goes on after a failure, and prints a verdict for each.

import { resolve } from "node:path";
import { BUNDLE_SUFFIX, CASSETTE_SUFFIX } from "../../cassette/index.js";
import { defined, type FilePort } from "../../core/index.js";
import { doJobs } from "../../host/index.js";
import { CliError, exitCodeForAll, toFailure, usageError } from "../errors.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { lostFailure, threadScript } from "../threads.js";
import { count, createPrinter, sizeText, toJsonError, writeJson, type PrintLine } from "../terminal/output.js";
import { createProgress } from "../terminal/progress.js";
import { findFiles } from "../options/recordings.js";
import { membersOf, printBundle, toRefusal } from "./bundle.js";
import { describeLayers, openLayers, type LayerOptions, type LayerRules } from "./layers.js";
import { createChecker, type Verdict, type VerifySettings } from "./file-verdict.js";

export interface VerifyOptions extends LayerOptions {
  jobs?: number;
  independent?: boolean;
  json?: boolean;
}

/** Exits 3 if a file was refused, else 2 if one could not be read. */
export async function verify(paths: readonly string[], options: VerifyOptions, io: CommandIo): Promise<void> {
  if (paths.length === 0 && options.lock === undefined) {
    const hint = "Name cassette files or folders, or use --lock for all locked files, or --receipts.";
    throw usageError("no path was given", hint);
  }
  const verdicts = await checkCassettes(paths, options, io, false);
  const summary = summarise(verdicts);
  const exitCode = exitCodeForAll(verdicts.flatMap((verdict) => ("failure" in verdict ? [verdict.failure] : [])));
  io.exit(exitCode);
  const opinion = await secondOpinionOn(verdicts, options);
  if (options.json === true)
    writeJson(io, "verify", exitCode, { files: verdicts.map(toJson), summary, ...opinion.json });
  else {
    printVerdicts(createPrinter(io), verdicts);
    opinion.print(createPrinter(io));
  }
}

/** The part of the report for `--independent`, empty without it. */
export async function secondOpinionOn(
  verdicts: readonly Verdict[],
  { independent }: VerifyOptions,
): Promise<{ json: object; print: (line: PrintLine) => void }> {
  if (independent !== true) return { json: {}, print: () => undefined };
  const { printRecomputed, sumRecomputed } = await import("./second-opinion.js");
  const recomputed = verdicts.map((verdict) => (verdict.status === "ok" ? verdict.independent : undefined));
  const sum = sumRecomputed(recomputed.filter((each) => each !== undefined));
  return { json: { independent: sum }, print: (line) => printRecomputed(line, sum) };
}

/** A verdict on every file that the paths mean, in order, and on every missing locked file. */
export async function checkCassettes(
  paths: readonly string[],
  options: VerifyOptions,
  io: CommandIo,
  keepsTurns: boolean,
): Promise<Verdict[]> {
  const files = filesAt(io);
  const { rules, lockedFiles, jobOf } = await openLayers(files, options, io.cwd);
  const scope = paths.length > 0 ? paths : lockedFiles;
  const { found: named, empty } = await findFiles(files, scope, io.cwd, {
    known: lockedFiles,
    suffixes: [CASSETTE_SUFFIX, BUNDLE_SUFFIX],
  });
  const found = rules.isLocked || rules.trust !== undefined ? await withMembers(files, named, rules, io.cwd) : named;
  const progress = createProgress(io, "verifying");
  const settings: VerifySettings = { cwd: io.cwd, rules, isIndependent: options.independent === true, keepsTurns };
  // Threads copy their results, and responses are the largest part of a cassette.
  const threads = keepsTurns ? 1 : options.jobs;

  const verdicts = empty.map(nothingIn);
  const checked = doJobs(found.map(jobOf), {
    script: threadScript("verify"),
    settings,
    ...defined({ threads }),
    here: createChecker(files, settings),
    lost: ({ file }, why): Verdict => toRefusal(file, lostFailure(file, why)),
  });
  for await (const verdict of checked) {
    progress.step(verdicts.length - empty.length, found.length);
    verdicts.push(verdict);
  }
  progress.clear();
  return verdicts;
}

/** Adds the cassettes of bundles, because lock and signatures concern cassettes only. */
async function withMembers(
  files: FilePort,
  named: readonly string[],
  { maxBytes }: LayerRules,
  cwd: string,
): Promise<string[]> {
  const known = new Set(named.map((file) => resolve(cwd, file)));
  const all: string[] = [];
  for (const file of named) {
    const members = file.endsWith(BUNDLE_SUFFIX) ? await membersOf(files, file, maxBytes) : [];
    const added = members.filter((member) => !known.has(resolve(cwd, member)));
    for (const member of added) known.add(resolve(cwd, member));
    all.push(...added, file);
  }
  return all;
}

function nothingIn(folder: string): Verdict {
  const message = "the folder contains no *.cassette.json or *.bundle.json file, so nothing was verified";
  const hint = "Check the path, or name the files one by one.";
  return toRefusal(folder, toFailure(new CliError("nothing-found", message, hint, folder)));
}

function summarise(verdicts: readonly Verdict[]) {
  const having = (status: Verdict["status"]): number => verdicts.filter((verdict) => verdict.status === status).length;
  const version1 = verdicts.filter((verdict) => "version" in verdict && verdict.version === 1).length;
  const [ok, refused, unreadable] = [having("ok"), having("refused"), having("unreadable")];
  return { files: verdicts.length, ok, refused, unreadable, version1 };
}

/** A verdict as part of the JSON document. */
export function toJson(verdict: Verdict): object {
  if (verdict.status === "ok") {
    const { recorded: _recorded, ...shown } = verdict;
    return shown;
  }
  const { failure, ...rest } = verdict;
  return { ...rest, error: toJsonError(failure) };
}

/** Prints a line for each verdict, and their sum. */
export function printVerdicts(line: PrintLine, verdicts: readonly Verdict[]): void {
  if (verdicts.length === 0) return;
  for (const verdict of verdicts) printVerdict(line, verdict);
  const { files, ok, refused, unreadable, version1 } = summarise(verdicts);
  const look = ok === files ? "good" : "bad";
  line({ look, text: `${count(files, "path")} checked: ${ok} ok, ${refused} refused, ${unreadable} unreadable` });
  if (version1 > 0) {
    line(`${version1} ok of version 1: nothing proves their contents; --require-integrity refuses them.`);
  }
}

function printVerdict(line: PrintLine, verdict: Verdict): void {
  const { file } = verdict;
  if (verdict.status !== "ok") {
    const { code, message, pointer } = verdict.failure;
    const place = pointer === undefined ? "" : ` (at ${pointer})`;
    line({ look: "bad", text: verdict.status.padEnd(11) }, file, `  ${code}: ${message}${place}`);
    return;
  }
  if ("bundleVersion" in verdict) {
    printBundle(line, verdict);
    return;
  }
  const { version, recordedProvider, cassetteId, layers } = verdict;
  const proof = cassetteId?.slice(0, 8) ?? "nothing proves its contents";
  const what = `v${version}  ${sizeText(verdict)}  ${recordedProvider}  ${proof}  ${describeLayers(layers)}`;
  line({ look: "good", text: "ok".padEnd(11) }, file, `  ${what}`);
}
