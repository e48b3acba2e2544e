// The commands that a failure names, to be pasted in the folder where the runner was started.

import { relative, sep } from "node:path";
import { toVisible } from "../../../core/index.js";
import type { MatcherContext } from "../matcher.js";
import { shellPath, shellText } from "../../text/shell.js";

type CommandMode = "record" | "refresh" | "auto" | "from-first-miss";

/**
 * `CASSETTE_MODE=refresh …` for the running test alone. Only the variable outside of a test, and in a concurrent test, for which
 * Vitest's own `expect` may report another test's name.
 */
export function rerecordCommand(context: MatcherContext): string {
  const { currentTestName: name = "", testPath: file, task, dontThrow } = context;
  if (name === "" || task?.concurrent === true) return "CASSETTE_MODE=refresh";
  if (dontThrow === undefined) return vitestCommand("refresh", { file, name, project: task?.file?.projectName });
  // Otherwise Jest reads a path as a pattern, which breaks on a bracket.
  const path = file === undefined ? "" : ` --runTestsByPath ${relativePath(file)}`;
  return `CASSETTE_MODE=refresh npx jest${path} -t ${shellText(`^${exactly(name)}$`)}`;
}

/** The command for one test of Vitest, with ` > ` between its names. `project` is empty if there is only one. */
export function vitestCommand(
  mode: CommandMode,
  { file, name, project = "" }: { file: string | undefined; name: string; project?: string | undefined },
): string {
  const path = file === undefined ? "" : ` ${relativePath(file)}`;
  // Vitest reads a leading "!" as an exclusion.
  const of = project === "" || project.startsWith("!") ? "" : ` --project ${shellText(project)}`;
  // The pattern matches this test alone, since a recording costs money. Vitest matches the names joined by a space.
  const pattern = `^${name.split(" > ").map(exactly).join("( | > )")}$`;
  return `CASSETTE_MODE=${mode} npx vitest run${path}${of} -t ${shellText(pattern)}`;
}

/** The command for a file of `node:test`. It runs the whole file, since a name does not select a nested test. */
export function nodeTestCommand(mode: CommandMode, testPath: string): string {
  const path = toRelative(testPath);
  const takesPatterns = Number.parseInt(process.versions.node, 10) >= 21;
  // Its patterns know no backslash escapes, and a brace counts within brackets as well.
  const pattern = path.replace(/[*?[(]/g, "[$&]").replace(/[{}]/g, "?");
  return `CASSETTE_MODE=${mode} node --test ${shellPath(takesPatterns ? pattern : path)}`;
}

function toRelative(path: string): string {
  return relative("", path).split(sep).join("/");
}

/** The path from the working folder, as a shell reads it. */
export function relativePath(path: string): string {
  return shellPath(toRelative(path));
}

/** Escaped for a pattern without flags, which counts in UTF-16 units. Invisible characters become escapes of the pattern. */
function exactly(text: string): string {
  return Array.from(text, (character) => {
    if (/[\\^$.*+?()[\]{}|]/.test(character)) return `\\${character}`;
    if (toVisible(character) === character && !/[^\S ]/.test(character)) return character;
    const units = character.split("");
    return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
  }).join("");
}

/** For a handle of `useCassette` a line each: how to look at its run, keep its recording, and record it again. Else "". */
export function handleAdvice(context: MatcherContext, received: unknown): string {
  const { file, done, mode, rerecord, failedFile } = (received ?? {}) as Partial<Record<string, unknown>>;
  if (typeof file !== "string" || typeof done !== "function") return "";
  const again = `  again    ${typeof rerecord === "string" ? rerecord : rerecordCommand(context)}`;
  const look = (path: string): string => `  look     npx playhead show ${relativePath(path)}`;
  const lines =
    typeof failedFile === "string"
      ? [look(failedFile), `  keep     ${adoptCommand(failedFile, file)} # where the assertion was wrong`, again]
      : // A run that is being recorded has no file yet.
        mode === "record" || mode === "refresh"
        ? ["  keep     done({ failed: true })", again]
        : [look(file), again];
  return lines.map((line) => `\n${line}`).join("");
}

/** The command that makes the kept recording of a failed test the cassette. */
export function adoptCommand(failedFile: string, file: string): string {
  return `mv ${relativePath(failedFile)} ${relativePath(file)}`;
}
