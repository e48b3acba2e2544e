// `cassette scan`: finds text that looks like a secret, for CI and pre-commit hooks. No output contains a secret: not a finding, not a
// path, not an error.

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

/** Folders that are skipped unless they are named themselves. */
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
  const wanted = found.filter((file) => paths.includes(file) || !SKIPPED.test(file));
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

async function scanFile(files: FilePort, path: string, find: Finder): Promise<Scanned> {
  const file = mask(path, find);
  const result = await files.read(path, MAX_SCANNED_BYTES);
  if (result.kind === "read") return { file, findings: findingsIn(new TextDecoder().decode(result.bytes), find) };
  return { file, unread: `it ${mask(whyUnread(result, MAX_SCANNED_BYTES), find)}` };
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
