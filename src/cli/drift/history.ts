// `cassette drift --history`: past reports of a folder over time. It compares nothing.

import { realpath } from "node:fs/promises";
import { resolve } from "node:path";
import { historyHtml, historyJson, historyMarkdown, historyText, type History } from "../../harness/index.js";
import { CliError, usageError } from "../errors.js";
import { EXIT } from "../exit-codes.js";
import { MAX_HISTORY_REPORTS } from "../limits.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { writeJson } from "../terminal/output.js";
import { createProgress } from "../terminal/progress.js";
import { findUiFiles } from "../ui/folder.js";
import { readHistory } from "../ui/history.js";
import { assertWritable, writeEach, type OutputOptions } from "./outputs.js";

const WRITERS: ReadonlyMap<string, (history: History) => string> = new Map([
  ["text", historyText],
  ["markdown", historyMarkdown],
  ["html", (history) => historyHtml(history)],
  ["json", historyJson],
]);

/**
 * Exits 2 if a report cannot be used, after all others were shown. Throws `nothing-found` without any report, and `usage` if the command
 * line also has `other`, which belongs to a comparison.
 */
export async function history(
  folder: string,
  options: OutputOptions,
  other: string | undefined,
  io: CommandIo,
): Promise<void> {
  if (other !== undefined) {
    const hint = "It takes --reporter, --force and --json alone. Run the comparison as a command of its own.";
    throw usageError(`--history compares nothing, and was given with ${other}`, hint);
  }
  const unknown = options.reporter.find(({ name }) => !WRITERS.has(name));
  if (unknown !== undefined) {
    throw usageError(`--history has no ${unknown.name} report`, `Use some of ${[...WRITERS.keys()].join(", ")}.`);
  }
  const files = filesAt(io);
  await assertWritable(options, 1, io);
  const root = await realpath(resolve(io.cwd, folder)).catch(() => undefined);
  if (root === undefined) throw new CliError("nothing-found", `${folder} does not exist`, FOLDER_HINT, folder);
  const { files: found, notes } = findUiFiles(root);
  const progress = createProgress(io, "reading reports");
  const source = {
    files,
    root,
    limit: MAX_HISTORY_REPORTS,
    step: (done: number, all: number) => progress.step(done, all),
  };
  const { history: read, refused } = await readHistory(folder, found, source);
  progress.clear();
  const past = { ...read, notes: [...notes, ...read.notes] };
  if (past.reports.length + past.mutations.length + past.damaged.length + refused === 0) {
    throw new CliError("nothing-found", `${folder} has no report of drift or mutate`, FOLDER_HINT, folder);
  }
  const exitCode = past.damaged.length > 0 ? EXIT.failed : EXIT.ok;
  await writeEach(options, io, (name) => WRITERS.get(name)?.(past) ?? "");
  if (options.json === true) {
    const { folder: named, ...rest } = past;
    writeJson(io, "drift", exitCode, { history: named, ...rest });
  }
  io.exit(exitCode);
}

const FOLDER_HINT = "Name a folder of reports that cassette drift --json or --reporter json=FILE wrote.";
