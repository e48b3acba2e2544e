// `cassette check`: recorded runs held against rules, one file at a time. A file that is refused is listed and the checking
// goes on without it.

import {
  checkRules,
  createCassetteStore,
  kindOf,
  readRules,
  RULES_FILE,
  toolsIn,
  type Cassette,
  type RuleSet,
} from "../../cassette/index.js";
import { CliError } from "../errors.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { createPrinter, toJsonError, writeJson } from "../terminal/output.js";
import { createProgress } from "../terminal/progress.js";
import { findFiles, loadRecording } from "../options/recordings.js";
import { brokenIn, printCheck, type CheckResult } from "./report.js";

/** The flags of `cassette check`, as commander gives them. */
export interface CheckCommandOptions {
  rules?: string;
  json?: boolean;
}

/** Exits 1 where a rule is broken, 2 where a cassette could not be read, 3 where one was refused. */
export async function check(paths: readonly string[], options: CheckCommandOptions, io: CommandIo): Promise<void> {
  const files = filesAt(io);
  const rules = await readRules(files, options.rules ?? RULES_FILE);
  const { found } = await findFiles(files, paths, io.cwd);
  if (found.length === 0) {
    const message = `there is no *.cassette.json file in ${paths.join(", ")}, so nothing was checked`;
    throw new CliError("nothing-found", message, "Check the path, or name the files one by one.", paths[0]);
  }
  const result = await checkAll(found, rules, io);
  const exitCode = exitCodeOf(result);
  io.exit(exitCode);
  if (options.json === true) writeJson(io, "check", exitCode, toDocument(result));
  else printCheck(createPrinter(io), result);
}

async function checkAll(found: readonly string[], rules: RuleSet, io: CommandIo): Promise<CheckResult> {
  const store = createCassetteStore(filesAt(io));
  const seen = new Set<string>();
  const result: CheckResult = { rules, files: [], failures: [], unseen: [] };
  const progress = createProgress(io, "checking");
  for (const [index, file] of found.entries()) {
    progress.step(index, found.length);
    const loaded = await loadRecording(store, file);
    if (loaded.kind === "failed") {
      result.failures.push({ file, failure: loaded.failure });
      continue;
    }
    for (const name of toolsOf(loaded.cassette)) seen.add(name);
    result.files.push({ file, breaks: checkRules(loaded.cassette, rules) });
  }
  progress.clear();
  if (result.files.length > 0) {
    result.unseen = rules.rules.flatMap((rule) =>
      [...new Set(toolsIn(rule))].filter((tool) => !seen.has(tool)).map((tool) => ({ rule: rule.id, tool })),
    );
  }
  return result;
}

/** The tools that a run called or was offered. */
function toolsOf(cassette: Cassette): string[] {
  const called = cassette.entries.flatMap(({ response }) => response.message.toolCalls ?? []).map(({ name }) => name);
  const contexts = cassette.version === 1 ? [] : (cassette.extensions?.contexts ?? []);
  const offered = contexts.flatMap(({ tools = [] }) => tools.map((tool) => tool["name"]));
  return [...called, ...offered.filter((name) => typeof name === "string")];
}

function exitCodeOf({ files, failures }: CheckResult): ExitCode {
  let worst: ExitCode = files.some(({ breaks }) => breaks.length > 0) ? EXIT.drift : EXIT.ok;
  for (const { failure } of failures) if (failure.exitCode > worst) worst = failure.exitCode;
  return worst;
}

function toDocument({ rules, files, failures, unseen }: CheckResult): object {
  return {
    checked: files.length,
    kept: files.filter(({ breaks }) => breaks.length === 0).length,
    rules: rules.rules.map((rule) => ({
      id: rule.id,
      kind: kindOf(rule),
      brokenIn: brokenIn(files, rule.id),
    })),
    files,
    unseen,
    failures: failures.map(({ file, failure }) => ({ file, error: toJsonError(failure) })),
  };
}
