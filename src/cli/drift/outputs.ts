// Writes the reports: one to stdout, the others to files, which only --force replaces.

import type { FilePort } from "../../core/index.js";
import { refusalText, reporterOf, toJobSummary, type GateRefusal, type GateReport } from "../../harness/index.js";
import { CliError, usageError } from "../errors.js";
import { writeText } from "../options/file.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { createNotes } from "../terminal/output.js";
import { relativeIn, withRelativePlaces } from "./relative.js";

/** A reporter with its file, or without one for stdout. */
export interface ReportTarget {
  name: string;
  out?: string;
}

interface OutputOptions {
  reporter: readonly ReportTarget[];
  force?: boolean;
  json?: boolean;
}

/** Checks, before any work, that no two reports go to one place and that no file exists. */
export async function assertWritable({ reporter, force, json }: OutputOptions, files: FilePort): Promise<void> {
  const places = [...reporter.map(({ out }) => out ?? ""), ...(json === true ? [""] : [])];
  const twice = places.find((place, index) => places.indexOf(place) !== index);
  if (twice !== undefined) {
    const where = twice === "" ? "standard output" : twice;
    throw usageError(
      `two reports would go to ${where}`,
      "Name a file for all but one: --reporter text,json=drift.json.",
    );
  }
  if (force === true) return;
  for (const place of places) {
    if (place === "" || (await files.read(place, 0)).kind === "not-found") continue;
    throw new CliError("report-unusable", `${place} exists and was not replaced`, REPLACE_HINT, place);
  }
}

const REPLACE_HINT = "Add --force to replace it, or name another file.";

/** Writes each report to its place. `github` also writes the summary of the job. */
export async function writeReports(report: GateReport, options: OutputOptions, io: CommandIo): Promise<void> {
  const placed = withRelativePlaces(report, io.cwd);
  if (options.reporter.some(({ name }) => name === "github")) await appendSummary(toJobSummary(report), io);
  await writeEach(options, io, (name) => reporterOf(name)?.(PLACED.includes(name) ? placed : report) ?? "");
}

/** Reports that a code host shows on its own files. */
const PLACED = ["sarif", "github"];

/** Writes reports that say that nothing could be compared, so that no report of an earlier run stays in place. */
export async function writeRefusals(refusal: GateRefusal, options: OutputOptions, io: CommandIo): Promise<void> {
  const refused = refusal.refused.map((each) => {
    return each.file === undefined ? each : { ...each, file: relativeIn(io.cwd, each.file) };
  });
  const placed = { ...refusal, refused };
  const text = (name: string): string => refusalText(name, PLACED.includes(name) ? placed : refusal);
  // A text report on stdout would repeat stderr.
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
    const settings = { code: "report-unusable", overwrite: force === true, hint: REPLACE_HINT } as const;
    await writeText(files, out, text, settings);
  }
}

/**
 * Appends Markdown to the summary of a job on GitHub Actions: the file in GITHUB_STEP_SUMMARY, which needs no token. A failure is a
 * note and changes no verdict.
 */
async function appendSummary(text: string, io: CommandIo): Promise<void> {
  const file = io.env["GITHUB_STEP_SUMMARY"] ?? "";
  if (file === "") return;
  const appended = await filesAt(io).append(file, text);
  if (appended.kind === "written") return;
  const why = appended.kind === "exists" ? "it exists" : appended.message;
  createNotes(io)("note: the summary of the job could not be written to ", file, `: ${why}`);
}
