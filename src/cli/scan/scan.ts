// `cassette scan`: finds text that looks like a secret, for CI and pre-commit hooks. No output contains a secret: not a finding, not a
// path, not an error.

import { isAbsolute, relative } from "node:path";
import { createSecretFinder, EMAIL_RULE, SECRET_RULES, secretsOf, type Finder } from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import { CliError } from "../errors.js";
import { MAX_SCANNED_BYTES } from "../limits.js";
import { whyUnread } from "../options/file.js";
import { EXIT } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { count, createPrinter, writeJson } from "../terminal/output.js";
import { createProgress } from "../terminal/progress.js";
import { findFiles } from "../options/recordings.js";
import { findingsIn, mask, type Finding } from "./findings.js";

export interface ScanOptions {
  email?: boolean;
  valuesFromEnv?: boolean;
  json?: boolean;
}

/** Folders that are skipped below the named ones. */
const SKIPPED = /(?:^|[\\/])(?:\.git|node_modules)[\\/]/;

type Scanned = { file: string } & ({ findings: Finding[] } | { unread: string });

/** Exits 1 if something was found, 2 if a file could not be read. Throws `nothing-found` without any file. */
export async function scan(paths: readonly string[], options: ScanOptions, io: CommandIo): Promise<void> {
  const files = filesAt(io);
  const find = createSecretFinder({
    rules: options.email === true ? [...SECRET_RULES, EMAIL_RULE] : SECRET_RULES,
    values: options.valuesFromEnv === true ? secretsOf(io.env) : [],
  });
  const { found } = await findFiles(files, paths, io.cwd, { suffixes: [""] });
  const wanted = found.filter((file) => paths.some((path) => isBelow(path, file)));
  if (wanted.length === 0) {
    const shown = paths.map((path) => mask(path, find)).join(", ");
    throw new CliError("nothing-found", `${shown} contains no file, so nothing was scanned`, "Check the path.");
  }
  const scanned: Scanned[] = [];
  const progress = createProgress(io, "scanning");
  for (const [index, file] of wanted.entries()) {
    progress.step(index, wanted.length);
    scanned.push(await scanFile(files, file, find));
  }
  progress.clear();
  report(scanned, options, io);
}

/** True for a named file, and for a file below a named folder that is in none of the skipped ones. */
function isBelow(path: string, file: string): boolean {
  const place = relative(path, file);
  return !/^\.\.(?:[\\/]|$)/.test(place) && !isAbsolute(place) && !SKIPPED.test(place);
}

async function scanFile(files: FilePort, path: string, find: Finder): Promise<Scanned> {
  const file = mask(path, find);
  const result = await files.read(path, MAX_SCANNED_BYTES);
  if (result.kind === "read") return { file, findings: findingsIn(textOf(result.bytes), find) };
  return { file, unread: `it ${mask(whyUnread(result, MAX_SCANNED_BYTES), find)}` };
}

/** UTF-16 has a mark at its start, as PowerShell writes it. Any other file counts as UTF-8. */
function textOf(bytes: Uint8Array): string {
  const [first, second] = bytes;
  const encoding =
    first === 0xff && second === 0xfe ? "utf-16le" : first === 0xfe && second === 0xff ? "utf-16be" : "utf-8";
  return new TextDecoder(encoding).decode(bytes);
}

function report(scanned: readonly Scanned[], { json = false }: ScanOptions, io: CommandIo): void {
  const findings = scanned.flatMap((one) =>
    "findings" in one ? one.findings.map((each) => ({ file: one.file, ...each })) : [],
  );
  const unread = scanned.flatMap((one) => ("unread" in one ? [{ file: one.file, message: one.unread }] : []));
  const exitCode = findings.length > 0 ? EXIT.drift : unread.length > 0 ? EXIT.failed : EXIT.ok;
  io.exit(exitCode);
  const read = scanned.length - unread.length;
  if (json) {
    writeJson(io, "scan", exitCode, { scanned: read, findings, unread });
    return;
  }
  const print = createPrinter(io);
  for (const { file, line, column, rule, pointer } of findings) {
    print(file, `:${line}:${column}  `, { look: "bad", text: rule }, pointer === undefined ? "" : `  at ${pointer}`);
  }
  for (const { file, message } of unread) print({ look: "bad", text: "unread" }, "  ", file, `: ${message}`);
  const look = exitCode === EXIT.ok ? "good" : "bad";
  print({ look, text: `${count(read, "file")} scanned, ${count(findings.length, "finding")}` });
}
