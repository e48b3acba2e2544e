// `cassette record`, `replay` and `fork`: run a command with the mode set, then list the cassettes it used. A command that used no
// cassette proves nothing, so it is a failure.

import { rm } from "node:fs/promises";
import { isAbsolute, join, relative, resolve } from "node:path";
import { defined } from "../../core/index.js";
import { shellText, resolveMode } from "../../harness/index.js";
import { isWithin } from "../../host/index.js";
import { CliError } from "../errors.js";
import type { CommandIo } from "../terminal/io.js";
import { createNotes, count, sizeText, writeJson } from "../terminal/output.js";
import { passOnLedger, readLedger, recordedTwice, type Ledger, type UsedLine } from "./ledger-reader.js";
import { runChild, makeFolder, holdSignals } from "./spawn.js";

interface RunRequest {
  verb: "record" | "replay" | "fork";
  mode: UsedLine["mode"];
  command: readonly string[];
  json: boolean;
  /** Further variables for the command. */
  env?: Readonly<Record<string, string>>;
}

/** Runs the command and exits as it did. Throws if recording is refused or no cassette was used. */
export async function runWithCassettes(request: RunRequest, io: CommandIo): Promise<void> {
  const { verb, mode, command, json } = request;
  resolveMode({ CI: io.env["CI"] }, mode);
  const signals = holdSignals();
  let folder: string | undefined;
  try {
    folder = await makeFolder("playhead-ledger-");
    const ledgerPath = join(folder, "ledger.jsonl");
    const env = { ...io.env, ...request.env, CASSETTE_MODE: mode, CASSETTE_LEDGER: ledgerPath };
    const end = await runChild(command, { cwd: io.cwd, env, stdoutToStderr: json });
    const ledger = await readLedger(io.files, ledgerPath);
    const { CASSETTE_LEDGER: wanted = "" } = io.env;
    if (wanted !== "") await passOnLedger(io.files, ledgerPath, resolve(io.cwd, wanted));
    const isUsed = mode === "fork" ? ledger.lines.some((line) => line.mode === mode) : ledger.lines.length > 0;
    if (end.exitCode === 0 && !isUsed) throw noneUsed(request, ledger);
    const twice = recordedTwice(ledger);
    if (end.exitCode === 0 && twice.length > 0) throw replacedEachOther(twice);
    io.exit(end.exitCode);
    const cassettes = ledger.lines.map(({ path: _path, ...line }) => line);
    if (json) writeJson(io, verb, end.exitCode, { ran: command, signal: end.signal, cassettes });
    else report(request, ledger, end.exitCode, io);
  } finally {
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    signals.release();
  }
}

const DONE = {
  record: "recorded",
  refresh: "recorded again",
  replay: "replayed",
  "from-first-miss": "recorded from the first miss on",
  fork: "forked into",
  failed: "kept the run of a failed test in",
} as const;
const DID = { record: "recorded", replay: "replayed", fork: "forked" } as const;

function report({ verb }: RunRequest, { lines, unreadable }: Ledger, exitCode: number, io: CommandIo): void {
  const note = createNotes(io);
  for (const { file, mode, turns, exchanges, kept } of lines) {
    // A replayed line has `kept` only if its run equals the recorded one.
    const isSame = mode === "replay" && kept !== undefined;
    const done = isSame ? "kept" : DONE[mode];
    const old = kept === undefined || isSame ? "" : `, ${kept} of them replayed`;
    const path = shownPath(file, io.cwd);
    note(`cassette ${verb}: ${done} `, path, `, ${sizeText({ turns, ...defined({ exchanges }) })}${old}`);
    if (mode === "failed") note("   if the assertion is wrong: ", `npx playhead record --adopt ${shellText(path)}`);
  }
  if (unreadable > 0) note(`cassette ${verb}: ${count(unreadable, "line")} of the ledger could not be read`);
  if (exitCode !== 0) {
    const finished = lines.filter(({ mode }) => mode !== "failed").length;
    const used = finished === 0 ? "no cassette was finished" : `${count(finished, "cassette")} finished`;
    note(`cassette ${verb}: the command exited with ${exitCode}; ${used}`);
  }
}

/** `cassette fork` names its file by its absolute path, which is shortened below the working folder. */
function shownPath(file: string, cwd: string): string {
  return isAbsolute(file) && isWithin(cwd, file) ? relative(cwd, file) : file;
}

function noneUsed({ verb, command }: RunRequest, { unreadable }: Ledger): CliError {
  const lost = unreadable === 0 ? "" : ` (${count(unreadable, "line")} of its ledger could not be read)`;
  return new CliError(
    "no-cassette-used",
    `the command ${JSON.stringify(command.join(" "))} succeeded but used no cassette${lost}, so nothing was ${DID[verb]}`,
    "Take the provider from useCassette of playhead/harness, and call done() after the run.",
  );
}

/** Two tests in two processes have different runs in one file. Within one process `useCassette` refuses the second. */
function replacedEachOther(files: readonly string[]): CliError {
  const what = `several tests recorded ${files.join(", ")}, so only the run of the last one is left`;
  const hint = "Two tests share a cassette. Give each its own file, and record again.";
  return new CliError("recorded-twice", what, hint, files[0]);
}
