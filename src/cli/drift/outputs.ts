// Where reports go: one to stdout, the others to files, none of which is replaced unless asked.

import type { FilePort } from "../../core/index.js";
import { refusalText, reporterOf, toJobSummary, type GateRefusal, type GateReport } from "../../harness/index.js";
import { CliError } from "../errors.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { relativeIn, withRelativePlaces } from "./relative.js";
import { appendSummary } from "./summary.js";

/** A reporter, and the file it writes; without one it writes to stdout. */
export interface ReportTarget {
  name: string;
  out?: string;
}

export interface OutputOptions {
  reporter: readonly ReportTarget[];
  force?: boolean;
  json?: boolean;
}

/** Before any work: no two reports to one place, and no file in the way. */
export async function assertWritable({ reporter, force, json }: OutputOptions, files: FilePort): Promise<void> {
  const places = [...reporter.map(({ out }) => out ?? ""), ...(json === true ? [""] : [])];
  const twice = places.find((place, index) => places.indexOf(place) !== index);
  if (twice !== undefined) {
    const where = twice === "" ? "standard output" : twice;
    throw new CliError(
      "usage",
      `two reports would go to ${where}`,
      "Name a file for each but one: --reporter text,json=drift.json.",
    );
  }
  if (force === true) return;
  for (const place of places) {
    if (place === "" || (await files.read(place, 0)).kind === "not-found") continue;
    throw new CliError(
      "report-unusable",
      `${place} exists and was left as it is`,
      "Add --force to replace it, or name another file.",
      place,
    );
  }
}

/** Writes each report to its place; `github` writes the summary of the job, too. */
export async function writeReports(report: GateReport, options: OutputOptions, io: CommandIo): Promise<void> {
  const placed = withRelativePlaces(report, io.cwd);
  if (options.reporter.some(({ name }) => name === "github")) await appendSummary(toJobSummary(report), io);
  await writeEach(options, io, (name) => reporterOf(name)?.(PLACED.includes(name) ? placed : report) ?? "");
}

/** Reports that a code host lays over its own files. */
const PLACED = ["sarif", "github"];

/** The same where nothing could be compared: each report says so, and none of an earlier run is left in its place. */
export async function writeRefusals(refusal: GateRefusal, options: OutputOptions, io: CommandIo): Promise<void> {
  const refused = refusal.refused.map((each) => {
    return each.file === undefined ? each : { ...each, file: relativeIn(io.cwd, each.file) };
  });
  const placed = { ...refusal, refused };
  const text = (name: string): string => refusalText(name, PLACED.includes(name) ? placed : refusal);
  // What is said on stderr need not be said again.
  const reporter = options.reporter.filter(({ name, out }) => out !== undefined || name !== "text");
  if (reporter.some(({ name }) => name === "github")) await appendSummary(text("markdown"), io);
  await writeEach({ ...options, reporter }, io, text);
}

async function writeEach(
  { reporter, force }: OutputOptions,
  io: CommandIo,
  textOf: (name: string) => string,
): Promise<void> {
  const files = filesAt(io);
  for (const { name, out } of reporter) {
    const text = textOf(name);
    if (out === undefined) {
      io.stdout(text);
      continue;
    }
    const written = await files.write(out, text, { overwrite: force === true });
    if (written.kind === "written") continue;
    const why = written.kind === "exists" ? "exists and was left as it is" : `cannot be written: ${written.message}`;
    throw new CliError("report-unusable", `${out} ${why}`, "Name another file, or add --force to replace it.", out);
  }
}
