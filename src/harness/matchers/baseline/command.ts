// The commands that a failure names: the one that records this very test, and the one that shows what was recorded. Each is to be
// pasted where the runner was started.

import { relative, sep } from "node:path";
import { toVisible } from "../../../core/index.js";
import type { MatcherContext } from "../matcher.js";
import { shellPath, shellText } from "../../text/shell.js";

/** A mode of `CASSETTE_MODE` that is worth naming in a command. */
type CommandMode = "record" | "refresh" | "auto" | "from-first-miss";

/** Which test a command is for. */
interface NamedTest {
  readonly file: string;
  /** With ` > ` between the names of describe blocks. */
  readonly name: string;
  /** Of Vitest; empty where there is but one. */
  readonly project?: string | undefined;
}

/**
 * `CASSETTE_MODE=refresh …` for the running test alone. The variable without a command outside of a test, and in a concurrent one,
 * where Vitest's own `expect` may take it for another.
 */
export function rerecordCommand(context: MatcherContext): string {
  const { currentTestName: name = "", testPath: file, task, dontThrow } = context;
  if (name === "" || task?.concurrent === true) return "CASSETTE_MODE=refresh";
  if (dontThrow !== undefined) {
    // Its paths are patterns otherwise, which a bracket in a name would not match.
    const path = file === undefined ? "" : ` --runTestsByPath ${relativePath(file)}`;
    return `CASSETTE_MODE=refresh npx jest${path} -t ${shellText(`^${exactly(name)}$`)}`;
  }
  return vitestText("refresh", { file, name, project: task?.file?.projectName });
}

/** The command that runs one test of Vitest in this mode. */
export function vitestCommand(mode: CommandMode, test: NamedTest): string {
  return vitestText(mode, test);
}

function vitestText(
  mode: CommandMode,
  { file, name, project = "" }: Omit<NamedTest, "file"> & { file: string | undefined },
): string {
  const path = file === undefined ? "" : ` ${relativePath(file)}`;
  // With "!" before it the name would be one to leave out.
  const of = project === "" || project.startsWith("!") ? "" : ` --project ${shellText(project)}`;
  return `CASSETTE_MODE=${mode} npx vitest run${path}${of} -t ${shellText(testPattern(name))}`;
}

/** The command for a file of `node:test`: by a name it finds no test within a test, so it runs all of the file. */
export function nodeTestCommand(mode: CommandMode, testPath: string): string {
  const path = relative("", testPath).split(sep).join("/");
  return `CASSETTE_MODE=${mode} node --test ${shellPath(isGlobbing() ? toGlob(path) : path)}`;
}

/** From Node 21 on `node --test` takes patterns. */
function isGlobbing(): boolean {
  return Number.parseInt(process.versions.node, 10) >= 21;
}

/** A pattern that matches this path; a backslash escapes nothing there, and a brace counts within brackets as well. */
function toGlob(path: string): string {
  return path.replace(/[*?[(]/g, "[$&]").replace(/[{}]/g, "?");
}

/** From the working folder, as a shell reads it. */
export function relativePath(path: string): string {
  return shellPath(relative("", path).split(sep).join("/"));
}

/**
 * A pattern that only this test has: to record again costs money. Vitest joins the names of a test and its groups by " > " and
 * matches them joined by a space.
 */
function testPattern(name: string): string {
  return `^${name.split(" > ").map(exactly).join("( | > )")}$`;
}

/** As a pattern without flags counts, in halves of surrogate pairs. What is not seen is an escape of the pattern, not of the shell. */
function exactly(text: string): string {
  return Array.from(text, (character) => {
    if (/[\\^$.*+?()[\]{}|]/.test(character)) return `\\${character}`;
    return toVisible(character) === character && !/[^\S ]/.test(character) ? character : toUnits(character);
  }).join("");
}

function toUnits(character: string): string {
  const units = character.split("");
  return units.map((unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`).join("");
}

type HandleField = "file" | "done" | "mode" | "rerecord" | "failedFile";

/**
 * For a handle of `useCassette`, a line each: how to look at its run, how to keep one that is being recorded, and how to record it
 * again. "" for everything else.
 */
export function handleAdvice(context: MatcherContext, received: unknown): string {
  const { file, done, mode, rerecord, failedFile } = (received ?? {}) as Partial<Record<HandleField, unknown>>;
  if (typeof file !== "string" || typeof done !== "function") return "";
  const again = `  again    ${typeof rerecord === "string" ? rerecord : rerecordCommand(context)}`;
  const look = (path: string): string => `  look     npx playhead show ${relativePath(path)}`;
  const lines =
    typeof failedFile === "string"
      ? [look(failedFile), `  keep     ${adoptCommand(failedFile, file)} # where the assertion was wrong`, again]
      : // A run that is being recorded has no file that could be shown.
        mode === "record" || mode === "refresh"
        ? ["  keep     done({ failed: true })", again]
        : [look(file), again];
  return lines.map((line) => `\n${line}`).join("");
}

/** Makes the kept recording of a failed test the cassette. */
export function adoptCommand(failedFile: string, file: string): string {
  return `mv ${relativePath(failedFile)} ${relativePath(file)}`;
}
