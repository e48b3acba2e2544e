// `cassette check`: checks recorded runs against rules, one file at a time. A refused file is listed, and the check goes on.

import {
  extensionsOf,
  checkRules,
  createCassetteStore,
  kindOf,
  readRules,
  RULES_FILE,
  toolsIn,
  type Cassette,
  type RuleSet,
} from "../../cassette/index.js";
import { exitCodeForAll, noCassettesIn, toFailure } from "../errors.js";
import { EXIT } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { createPrinter, toJsonError, writeJson } from "../terminal/output.js";
import { createProgress } from "../terminal/progress.js";
import { findFiles, loadEach } from "../options/recordings.js";
import { brokenIn, printCheck, type CheckResult } from "./report.js";

export interface CheckCommandOptions {
  rules?: string;
  json?: boolean;
}

/** Exits 1 if a rule is broken, 2 if a cassette could not be read, 3 if one was refused. */
export async function check(paths: readonly string[], options: CheckCommandOptions, io: CommandIo): Promise<void> {
  const files = filesAt(io);
  const rules = await readRules(files, options.rules ?? RULES_FILE);
  const { found, empty } = await findFiles(files, paths, io.cwd);
  if (found.length === 0) throw noCassettesIn(paths.join(", "), "checked");
  const result = await checkAll(found, rules, io);
  for (const file of empty) result.failures.push({ file, failure: toFailure(noCassettesIn(file, "checked")) });
  const isBroken = result.files.some(({ breaks }) => breaks.length > 0);
  const failed = exitCodeForAll(result.failures.map(({ failure }) => failure));
  const exitCode = failed === EXIT.ok && isBroken ? EXIT.drift : failed;
  io.exit(exitCode);
  if (options.json === true) writeJson(io, "check", exitCode, toDocument(result));
  else printCheck(createPrinter(io), result);
}

async function checkAll(found: readonly string[], rules: RuleSet, io: CommandIo): Promise<CheckResult> {
  const store = createCassetteStore(filesAt(io));
  const seen = new Set<string>();
  const result: CheckResult = { rules, files: [], failures: [], unseen: [] };
  for await (const loaded of loadEach(store, found, createProgress(io, "checking"))) {
    const { file } = loaded;
    if (loaded.kind === "failed") result.failures.push({ file, failure: loaded.failure });
    else {
      for (const name of toolsOf(loaded.cassette)) seen.add(name);
      result.files.push({ file, breaks: checkRules(loaded.cassette, rules) });
    }
  }
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
  const { contexts = [] } = extensionsOf(cassette);
  const offered = contexts.flatMap(({ tools = [] }) => tools.map((tool) => tool["name"]));
  return [...called, ...offered.filter((name) => typeof name === "string")];
}

function toDocument({ rules, files, failures, unseen }: CheckResult): object {
  return {
    checked: files.length,
    kept: files.filter(({ breaks }) => breaks.length === 0).length,
    rules: rules.rules.map((rule) => ({ id: rule.id, kind: kindOf(rule), brokenIn: brokenIn(files, rule.id) })),
    files,
    unseen,
    failures: failures.map(({ file, failure }) => ({ file, error: toJsonError(failure) })),
  };
}
