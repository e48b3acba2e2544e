// `cassette migrate`: copies version 1 cassettes as version 2. It replaces nothing, and no copy has more trust than its original: see
// src/cassette/file/migrate.ts.

import { join, resolve } from "node:path";
import { createCassetteStore, migrateCassette, type CassetteStore } from "../../cassette/index.js";
import { isWithin } from "../../host/index.js";
import { CliError, exitCodeForAll, noCassettesIn, toFailure, usageError, type Failure } from "../errors.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { count, createPrinter, toJsonError, writeJson } from "../terminal/output.js";
import { createProgress } from "../terminal/progress.js";
import { findTarget, loadRecording, pathIn, type Target } from "../options/recordings.js";

export interface MigrateOptions {
  out: string;
  json?: boolean;
}

type Migrated =
  | { file: string; status: "migrated"; to: string; turns: number }
  /** Version 2 already, so not copied. */
  | { file: string; status: "current" }
  | { file: string; status: "failed"; failure: Failure };

type Job = { file: string; to: string };

/** Exits 2 when there was nothing to migrate or a copy failed, 3 when a cassette was refused. */
export async function migrate(path: string, options: MigrateOptions, io: CommandIo): Promise<void> {
  const files = filesAt(io);
  const jobs = jobsOf(await findTarget(files, path), options.out, io.cwd);
  const store = createCassetteStore(files);
  const progress = createProgress(io, "migrating");
  const results: Migrated[] = [];
  for (const [index, job] of jobs.entries()) {
    progress.step(index, jobs.length);
    results.push(await migrateFile(store, job));
  }
  progress.clear();

  const exitCode = exitCodeFor(results);
  io.exit(exitCode);
  if (options.json === true) writeJson(io, "migrate", exitCode, { results: results.map(toJson) });
  else print(io, results);
}

/** A file goes to a file, a folder to a folder. The folders never overlap, so that a second run finds the same files. */
function jobsOf(target: Target, out: string, cwd: string): Job[] {
  if (target.kind === "file") return [{ file: target.path, to: out }];
  if (target.kind === "missing") {
    throw new CliError("nothing-found", `${target.path} does not exist`, "Check the path.", target.path);
  }
  if (target.names.length === 0) throw noCassettesIn(target.path);
  if (isWithin(resolve(cwd, target.path), resolve(cwd, out))) {
    throw usageError(`${out} is inside the folder to migrate`, "Name a folder outside of it with --out.");
  }
  return target.names.map((name) => ({ file: pathIn(target.path, name), to: join(out, name) }));
}

async function migrateFile(store: CassetteStore, { file, to }: Job): Promise<Migrated> {
  const loaded = await loadRecording(store, file);
  if (loaded.kind === "failed") return { file, status: "failed", failure: loaded.failure };
  const { cassette } = loaded;
  if (cassette.version === 2) return { file, status: "current" };
  try {
    await store.save(to, migrateCassette(cassette));
    return { file, status: "migrated", to, turns: cassette.entries.length };
  } catch (error) {
    return { file, status: "failed", failure: toFailure(error, to) };
  }
}

function exitCodeFor(results: readonly Migrated[]): ExitCode {
  const failures = results.flatMap((result) => (result.status === "failed" ? [result.failure] : []));
  if (failures.length > 0) return exitCodeForAll(failures);
  return results.some(({ status }) => status === "migrated") ? EXIT.ok : EXIT.failed;
}

function toJson(result: Migrated): object {
  if (result.status !== "failed") return result;
  const { failure, ...rest } = result;
  return { ...rest, error: toJsonError(failure) };
}

function print(io: CommandIo, results: readonly Migrated[]): void {
  const line = createPrinter(io);
  for (const result of results) {
    const look = result.status === "failed" ? "bad" : result.status === "current" ? "dim" : "good";
    line({ look, text: result.status.padEnd(11) }, result.file, `  ${describe(result)}`);
  }
  const having = (status: Migrated["status"]): number => results.filter((result) => result.status === status).length;
  const migrated = count(having("migrated"), "cassette");
  line(`${migrated} migrated, ${having("current")} of version 2 already, ${having("failed")} failed`);
  const warning = "Nothing proves the contents of version 1, so --require-integrity refuses its copy too.";
  if (having("migrated") > 0) line({ look: "warn", text: warning });
}

function describe(result: Migrated): string {
  switch (result.status) {
    case "migrated":
      return `→ ${result.to}  ${count(result.turns, "turn")}`;
    case "current":
      return "is version 2, so it was not copied";
    case "failed":
      return `${result.failure.code}: ${result.failure.message}`;
  }
}
