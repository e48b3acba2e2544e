// `cassette export`: reads one cassette at a time and collects a line for each conversation. A cassette that cannot be exported does
// not stop the others, and content that the format cannot hold is counted.

import {
  createCassetteStore,
  exportCassette,
  type ExportFormat,
  type Loss,
  type LossKind,
} from "../../cassette/index.js";
import { toVisibleJson, type FilePort, type JsonObject } from "../../core/index.js";
import { CliError, toFailure, type Failure } from "../errors.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { MAX_OUTPUT_CHARACTERS } from "../limits.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { count, createNotes, toJsonError, writeJson } from "../terminal/output.js";
import { createProgress } from "../terminal/progress.js";
import { assertNoRecording, writeText } from "../options/file.js";
import { cassettesAt, loadEach } from "../options/recordings.js";

export interface ExportCommandOptions {
  format: ExportFormat;
  out?: string;
  force?: boolean;
  json?: boolean;
}

/** Exits 0 when every cassette was exported, 1 when some were, 2 when none was, and 3 when one was refused. */
export async function exportCassettes(
  path: string,
  options: ExportCommandOptions,
  io: CommandIo,
  maxCharacters = MAX_OUTPUT_CHARACTERS,
): Promise<void> {
  const files = filesAt(io);
  if (options.out !== undefined) assertNoRecording(options.out, "export-not-written", [path]);
  const found = await exportAll(files, path, options, io, maxCharacters);
  const { lines } = found;
  if (options.out !== undefined && lines.length > 0) {
    const text = lines.map((line) => `${line}\n`).join("");
    const hints = { taken: "Add --force to replace it.", hint: "Check the path." };
    const settings = { code: "export-not-written", overwrite: options.force === true, ...hints } as const;
    await writeText(files, options.out, text, settings);
  }
  const exitCode = exitCodeFor(found);
  io.exit(exitCode);
  if (options.json === true) {
    const { cassettes, failed, losses } = found;
    writeJson(io, "export", exitCode, {
      ...{ format: options.format, out: options.out, documents: lines.length, cassettes },
      ...{ failed: failed.map(toJsonError), losses },
      ...(options.out === undefined ? { exported: lines.map((line) => JSON.parse(line) as JsonObject) } : {}),
    });
    return;
  }
  if (options.out === undefined) for (const line of lines) io.stdout(`${toVisibleJson(line)}\n`);
  printNotes(found, options, io);
}

interface Found {
  /** One document each, as JSON. */
  lines: string[];
  cassettes: { file: string; turns: number; threads: number; losses: Loss[] }[];
  failed: Failure[];
  /** The sum over all cassettes. */
  losses: Loss[];
}

async function exportAll(
  files: FilePort,
  path: string,
  { format }: ExportCommandOptions,
  io: CommandIo,
  maxCharacters: number,
): Promise<Found> {
  const store = createCassetteStore(files);
  const found: Found = { lines: [], cassettes: [], failed: [], losses: [] };
  const paths = await cassettesAt(files, path);
  let characters = 0;
  for await (const loaded of loadEach(store, paths, createProgress(io, "exporting"))) {
    if (loaded.kind === "failed") {
      found.failed.push(loaded.failure);
      continue;
    }
    const { file } = loaded;
    try {
      const { documents, turns, losses } = await exportCassette(loaded.cassette, { format, file });
      const lines = documents.map((document) => JSON.stringify(document));
      characters += lines.reduce((sum, line) => sum + line.length, 0);
      if (characters > maxCharacters) {
        const what = `the export of ${path} has more characters than the limit of ${maxCharacters}; nothing was written`;
        throw new CliError("export-not-written", what, "Export its folders one by one.", path);
      }
      for (const line of lines) found.lines.push(line);
      found.cassettes.push({ file, turns, threads: documents.length, losses });
    } catch (error) {
      if (error instanceof CliError) throw error;
      found.failed.push(toFailure(error, file));
    }
  }
  found.losses = sumLosses(found.cassettes.flatMap(({ losses }) => losses));
  return found;
}

function sumLosses(losses: readonly Loss[]): Loss[] {
  const counts = new Map<LossKind, number>();
  for (const { kind, count: times } of losses) counts.set(kind, (counts.get(kind) ?? 0) + times);
  return [...counts].map(([kind, times]) => ({ kind, count: times })).sort((a, b) => (a.kind < b.kind ? -1 : 1));
}

function exitCodeFor({ lines, failed }: Found): ExitCode {
  if (failed.some(({ exitCode }) => exitCode === EXIT.integrity)) return EXIT.integrity;
  if (lines.length === 0) return EXIT.failed;
  return failed.length > 0 ? EXIT.drift : EXIT.ok;
}

/** On stderr, because stdout may be the export. */
function printNotes({ lines, cassettes, failed, losses }: Found, { format, out }: ExportCommandOptions, io: CommandIo) {
  const note = createNotes(io);
  for (const { file, code, message, hint } of failed) {
    note("not exported  ", file ?? "", `  ${code}: ${message}`);
    if (hint !== undefined) note("              ", hint);
  }
  for (const { kind, count: times } of losses) note(`not in ${format}: ${times} ${kind}`);
  const threads = `${count(lines.length, "conversation")} of ${count(cassettes.length, "cassette")}`;
  const failures = failed.length > 0 ? `, ${failed.length} not exported` : "";
  const empty = cassettes.filter(({ turns }) => turns === 0).length;
  const hollow = empty === 0 ? "" : ` (${empty} without a turn)`;
  note(`${threads}${hollow} exported${out === undefined || lines.length === 0 ? "" : ` to ${out}`}${failures}`);
}
