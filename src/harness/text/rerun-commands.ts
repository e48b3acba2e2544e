// The commands in failure messages. They run in the folder where the test runner was started.

import { relative, sep } from "node:path";
import { toVisible } from "../../core/index.js";
import type { MatcherContext } from "../matchers/matcher.js";
import { shellPath, shellText } from "./shell.js";

type CommandMode = "record" | "refresh" | "auto" | "from-first-miss";

/**
 * The `CASSETTE_MODE=refresh …` command for the running test. Outside a test and in a concurrent one, only the variable:
 * there Vitest's `expect` may report another test's name.
 */
export function rerecordCommand(context: MatcherContext): string {
  const { currentTestName: name = "", testPath: file, task, dontThrow } = context;
  if (name === "" || task?.concurrent === true) return "CASSETTE_MODE=refresh";
  if (dontThrow === undefined) return vitestCommand("refresh", { file, name, project: task?.file?.projectName });
  // Without the flag, Jest reads a path as a pattern, which breaks on a bracket.
  const path = file === undefined ? "" : ` --runTestsByPath ${relativePath(file)}`;
  return `CASSETTE_MODE=refresh npx jest${path} -t ${shellText(`^${exactly(name)}$`)}`;
}

/** The command for one Vitest test. `name` has ` > ` between its parts. `project` is empty if there is only one. */
export function vitestCommand(
  mode: CommandMode,
  { file, name, project = "" }: { file: string | undefined; name: string; project?: string | undefined },
): string {
  const path = file === undefined ? "" : ` ${relativePath(file)}`;
  // Vitest reads a leading "!" as an exclusion.
  const of = project === "" || project.startsWith("!") ? "" : ` --project ${shellText(project)}`;
  // Recording costs money, so the pattern matches only this test. Vitest matches the names joined by a space.
  const pattern = `^${name.split(" > ").map(exactly).join("( | > )")}$`;
  return `CASSETTE_MODE=${mode} npx vitest run${path}${of} -t ${shellText(pattern)}`;
}

/** The command for a `node:test` file. It runs the whole file, because a name does not select a nested test. */
export function nodeTestCommand(mode: CommandMode, testPath: string): string {
  const path = toRelative(testPath);
  const takesPatterns = Number.parseInt(process.versions.node, 10) >= 21;
  // Patterns of `node --test` have no backslash escapes, and braces are special even within brackets.
  const pattern = path.replace(/[*?[(]/g, "[$&]").replace(/[{}]/g, "?");
  return `CASSETTE_MODE=${mode} node --test ${shellPath(takesPatterns ? pattern : path)}`;
}

function toRelative(path: string): string {
  return relative("", path).split(sep).join("/");
}

/** The path relative to the working folder, quoted for a shell. */
export function relativePath(path: string): string {
  return shellPath(toRelative(path));
}

/** Escapes text for a pattern without flags, which counts UTF-16 units. Invisible characters become pattern escapes. */
function exactly(text: string): string {
  return Array.from(text, (character) => {
    if (/[\\^$.*+?()[\]{}|]/.test(character)) return `\\${character}`;
    if (toVisible(character) === character && !/[^\S ]/.test(character)) return character;
    const units = character.split("");
    return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
  }).join("");
}

/** Commands to inspect a `useCassette` handle's run, keep its recording, and record again. "" for other values. */
export function handleAdvice(context: MatcherContext, received: unknown): string {
  const { file, done, mode, rerecord, failedFile } = (received ?? {}) as Partial<Record<string, unknown>>;
  if (typeof file !== "string" || typeof done !== "function") return "";
  const again = `  again    ${typeof rerecord === "string" ? rerecord : rerecordCommand(context)}`;
  const look = (path: string): string => `  look     npx playhead show ${relativePath(path)}`;
  const lines =
    typeof failedFile === "string"
      ? [look(failedFile), `  keep     ${adoptCommand(failedFile)} # if the assertion was wrong`, again]
      : // The file of a run that is still recording does not exist yet.
        mode === "record" || mode === "refresh"
        ? ["  keep     done({ failed: true })", again]
        : [look(file), again];
  return lines.map((line) => `\n${line}`).join("");
}

/** The command that replaces the cassette with the kept recording of a failed test. */
export function adoptCommand(failedFile: string): string {
  return `npx playhead record --adopt ${relativePath(failedFile)}`;
}
