// Where reports go: one to stdout, the others to files, none of which is replaced unless asked.

import type { FilePort } from "../../core/index.js";
import { reporterOf, type GateReport } from "../../harness/index.js";
import { CliError } from "../errors.js";
import { filesAt, type CommandIo } from "../io.js";
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
export async function writeReports(
  report: GateReport,
  { reporter, force }: OutputOptions,
  io: CommandIo,
): Promise<void> {
  const files = filesAt(io);
  for (const { name, out } of reporter) {
    const text = reporterOf(name)?.(report) ?? "";
    if (name === "github") await appendSummary(report, io);
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
