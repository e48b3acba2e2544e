// Writes the reports: one to stdout, the others to files, which only --force replaces.

import { basename, extname, relative, resolve, sep } from "node:path";
import { defined } from "../../core/index.js";
import {
  candidatesHtml,
  candidatesJson,
  candidatesMarkdown,
  candidatesText,
  htmlReport,
  markdownReports,
  pageAddress,
  refusalText,
  reporterOf,
  toJobSummary,
  type CandidateReports,
  type GateRefusal,
  type GateReport,
  type Edit,
  type Location,
  type RuleFinding,
} from "../../harness/index.js";
import { isWithin } from "../../host/index.js";
import { CliError, usageError } from "../errors.js";
import { assertNoRecording, writeText } from "../options/file.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { createNotes } from "../terminal/output.js";

/** A reporter with its file, or without one for stdout. */
export interface ReportTarget {
  name: string;
  out?: string;
}

export interface OutputOptions {
  reporter: readonly ReportTarget[];
  force?: boolean;
  json?: boolean;
}

/** Checks, before any work, that no two reports go to one place, that no file exists, and that none is one of `inputs`. */
export async function assertWritable(
  { reporter, force, json }: OutputOptions,
  candidates: number,
  io: CommandIo,
  inputs: readonly string[] = [],
): Promise<void> {
  const alone = candidates === 1 ? undefined : reporter.find(({ name, out }) => isNumbered(name) && out === undefined);
  if (alone !== undefined) {
    throw usageError(
      `the ${alone.name} report of several candidates cannot go to standard output`,
      `Name a file, for example --reporter ${alone.name}=drift.${alone.name}. Each candidate gets a file next to it.`,
    );
  }
  const places = [
    ...reporter.flatMap(({ name, out = "" }) => [
      out,
      ...(candidates > 1 && isNumbered(name) ? numberedFiles(out, candidates) : []),
    ]),
    ...(json === true ? [""] : []),
  ];
  const whole = places.map((place) => (place === "" ? "" : resolve(io.cwd, place)));
  const twice = places[whole.findIndex((place, index) => whole.indexOf(place) !== index)];
  if (twice !== undefined) {
    const what = `two reports would go to ${twice === "" ? "standard output" : twice}`;
    throw usageError(what, "Give each report its own file, such as --reporter text,json=report.json.");
  }
  for (const place of places) if (place !== "") assertNoRecording(place, "report-unusable", inputs);
  if (force === true) return;
  for (const place of places) {
    if (place === "") continue;
    const read = await filesAt(io).read(place, 0);
    if (read.kind === "failed")
      throw new CliError("report-unusable", `${place} cannot be written: ${read.message}`, OTHER_FILE_HINT, place);
    if (read.kind !== "not-found")
      throw new CliError("report-unusable", `${place} exists and was not replaced`, REPLACE_HINT, place);
  }
}

const OTHER_FILE_HINT = "Check the folder, or name another file.";
const REPLACE_HINT = "Add --force to replace it, or name another file.";

/** Writes each report to its place. `github` also writes the summary of the job. */
export async function writeReports(report: GateReport, options: OutputOptions, io: CommandIo): Promise<void> {
  const placed = withRelativePlaces(report, io.cwd);
  if (options.reporter.some(({ name }) => name === "github")) await appendSummary(toJobSummary(report), io);
  await writeEach(options, io, (name) => reporterOf(name)?.(PLACED.includes(name) ? placed : report) ?? "");
}

/** Formats that hold one report a file. Of several candidates, each gets a file of its own. */
function isNumbered(name: string): boolean {
  return ["html", "junit", "sarif"].includes(name);
}

/** "drift.1.html", "drift.2.html" … for "drift.html". */
function numberedFiles(out: string, candidates: number): string[] {
  const end = extname(out);
  return Array.from(
    { length: candidates },
    (_, index) => `${out.slice(0, out.length - end.length)}.${index + 1}${end}`,
  );
}

/** Writes the reports of several candidates: one text, or one file each and, as HTML, a page that leads to them. */
export async function writeCandidates(
  candidates: CandidateReports,
  options: OutputOptions,
  io: CommandIo,
): Promise<void> {
  const { reports } = candidates;
  const outputs: Output[] = [];
  if (options.reporter.some(({ name }) => name === "github")) {
    await appendSummary(markdownReports(candidatesMarkdown(candidates), reports, true), io);
  }
  for (const { name, out } of options.reporter) {
    const write = reporterOf(name) ?? (() => "");
    const placed = PLACED.includes(name) ? reports.map((report) => withRelativePlaces(report, io.cwd)) : reports;
    const files = isNumbered(name) && out !== undefined ? numberedFiles(out, reports.length) : [];
    const all = name === "html" && out !== undefined ? pageAddress(basename(out)) : undefined;
    const written = placed.map((report) => (all === undefined ? write(report) : htmlReport(report, undefined, all)));
    outputs.push(...files.map((file, index) => ({ out: file, text: written[index] ?? "" })));
    const whole = wholeText(name, candidates, written, files);
    if (whole !== undefined) outputs.push({ out, text: whole });
  }
  await writeAll(outputs, options, io);
}

/** Undefined for a format without a page over all candidates. */
function wholeText(name: string, all: CandidateReports, texts: readonly string[], files: readonly string[]) {
  if (name === "text") return [candidatesText(all), ...texts].join("\n");
  if (name === "json") return candidatesJson(all);
  if (name === "markdown") return markdownReports(candidatesMarkdown(all), all.reports);
  if (name === "github") return texts.join("");
  const pages = files.map((file) => pageAddress(basename(file)));
  return name === "html" ? candidatesHtml(all, pages) : undefined;
}

/** Reports that a code host shows on its own files. */
const PLACED = ["sarif", "github"];

/**
 * Writes reports that say that nothing could be compared, so that no report of an earlier run stays in place. A report that cannot be written
 * causes only a note, because the caller already fails.
 */
export async function writeRefusals(
  refusal: GateRefusal,
  candidates: number,
  options: OutputOptions,
  io: CommandIo,
): Promise<void> {
  const refused = refusal.refused.map((each) =>
    each.file === undefined ? each : { ...each, file: relativeIn(io.cwd, each.file) },
  );
  const placed = { ...refusal, refused };
  const text = (name: string): string => refusalText(name, PLACED.includes(name) ? placed : refusal);
  // A text report on stdout would repeat stderr.
  const reporter = options.reporter.filter(({ name, out }) => out !== undefined || name !== "text");
  if (reporter.some(({ name }) => name === "github")) await appendSummary(text("markdown"), io);
  const places = reporter.flatMap(({ name, out }): ReportTarget[] => {
    const files = candidates > 1 && isNumbered(name) && out !== undefined ? numberedFiles(out, candidates) : [];
    const whole = files.length === 0 || name === "html" ? [{ name, ...defined({ out }) }] : [];
    return [...whole, ...files.map((file) => ({ name, out: file }))];
  });
  const failed = await tryAll(
    places.map(({ name, out }) => ({ out, text: text(name) })),
    options,
    io,
  );
  const old = options.force === true ? ", so a report of an earlier run may still be there" : "";
  for (const { message } of failed) createNotes(io)("note: ", message, old);
}

/** A text, and its file. Without one, it goes to stdout. */
interface Output {
  out: string | undefined;
  text: string;
}

/** Writes the text that `textOf` gives for each reporter. Throws after all of them if one cannot be written. */
export async function writeEach(options: OutputOptions, io: CommandIo, textOf: (name: string) => string) {
  const outputs = options.reporter.map(({ name, out }) => ({ out, text: textOf(name) }));
  await writeAll(outputs, options, io);
}

async function writeAll(outputs: readonly Output[], options: OutputOptions, io: CommandIo): Promise<void> {
  const [first, ...others] = await tryAll(outputs, options, io);
  for (const { message } of others) createNotes(io)("note: ", message);
  if (first !== undefined) throw first;
}

/** Writes all outputs. Returns the errors of those that could not be written. */
async function tryAll(
  outputs: readonly Output[],
  { force = false }: OutputOptions,
  io: CommandIo,
): Promise<CliError[]> {
  const settings = { code: "report-unusable", overwrite: force, taken: REPLACE_HINT, hint: OTHER_FILE_HINT } as const;
  const failed: CliError[] = [];
  for (const { out, text } of outputs) {
    if (out === undefined) io.stdout(text);
    else
      await writeText(filesAt(io), out, text, settings).catch((error: unknown) => {
        if (!(error instanceof CliError)) throw error;
        failed.push(error);
      });
  }
  return failed;
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

/** Turns "/home/ada/shop/runs/a.json" into "runs/a.json" in "/home/ada/shop". A path elsewhere does not change. */
function relativeIn(cwd: string, path: string): string {
  const whole = resolve(cwd, path);
  return whole !== cwd && isWithin(cwd, whole) ? relative(cwd, whole).split(sep).join("/") : path;
}

/** The report with `relativeIn` for the places of its findings. */
function withRelativePlaces(report: GateReport, cwd: string): GateReport {
  const at = (path: string): string => relativeIn(cwd, path);
  const place = (location: Location): Location => ({ ...location, file: at(location.file) });
  const rule = (finding: RuleFinding): RuleFinding => ({ ...finding, location: place(finding.location) });
  const edit = (each: Edit): Edit => ({
    ...each,
    ...defined({ base: each.base && place(each.base), candidate: each.candidate && place(each.candidate) }),
  });
  return {
    ...report,
    scenarios: report.scenarios.map((each) => ({
      ...each,
      typical: { base: at(each.typical.base), candidate: at(each.typical.candidate) },
      edits: each.edits.map(edit),
      rules: each.rules.map(rule),
    })),
    unpaired: report.unpaired.map((each) => ({ ...each, file: at(each.file), rules: each.rules.map(rule) })),
  };
}
