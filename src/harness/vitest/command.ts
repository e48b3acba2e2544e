// The commands that a failure names: the one that records this very test, and the one that shows what was recorded. Each is to be
// pasted where the runner was started.

import { relative, sep } from "node:path";
import type { MatcherContext } from "./matcher.js";
import { shellPath, shellText } from "./words.js";

/** A mode of `CASSETTE_MODE` that is worth naming in a command. */
type CommandMode = "record" | "refresh" | "auto" | "from-first-miss";

/** `CASSETTE_MODE=refresh …` for the running test alone; outside of a test the variable without a command. */
export function rerecordCommand({ currentTestName, testPath, dontThrow }: MatcherContext): string {
  if (currentTestName === undefined || currentTestName === "") return "CASSETTE_MODE=refresh";
  const runner = dontThrow === undefined ? "npx vitest run" : "npx jest";
  return testCommand("refresh", runner, testPath, currentTestName);
}

/** The command that runs one test of Vitest in this mode. */
export function vitestCommand(mode: CommandMode, testPath: string, testName: string): string {
  return testCommand(mode, "npx vitest run", testPath, testName);
}

/** The command for a file of `node:test`: by a name it finds no test within a test, so it runs all of the file. */
export function nodeTestCommand(mode: CommandMode, testPath: string): string {
  return `CASSETTE_MODE=${mode} node --test ${relativePath(testPath)}`;
}

function testCommand(mode: CommandMode, runner: string, testPath: string | undefined, testName: string): string {
  const file = testPath === undefined ? "" : ` ${relativePath(testPath)}`;
  return `CASSETTE_MODE=${mode} ${runner}${file} -t ${shellText(testPattern(testName))}`;
}

/** From the working folder, as a shell reads it. */
export function relativePath(path: string): string {
  return shellPath(relative("", path).split(sep).join("/"));
}

/**
 * A pattern that only this test has: to record again costs money. Vitest joins the names of a test and its groups by " > " and
 * matches them joined by a space. What a pattern or a shell could act on is left open.
 */
function testPattern(name: string): string {
  return `^${name
    .split(" > ")
    .map((part) => part.replace(/[^\p{L}\p{N} ,:;=@%&#"/_-]/gu, toOpen))
    .join(".{1,3}")}$`;
}

/** As a pattern without flags counts: in halves of surrogate pairs, and a dot is no line break. */
function toOpen(character: string): string {
  return /[\n\r\u2028\u2029]/.test(character) ? "[^]" : ".".repeat(character.length);
}

/** For a handle of `useCassette`: how to look at its cassette and how to record it again. "" for everything else. */
export function handleAdvice(context: MatcherContext, received: unknown): string {
  const { file, done } = (received ?? {}) as { file?: unknown; done?: unknown };
  if (typeof file !== "string" || typeof done !== "function") return "";
  return `\n\`npx cassette show ${relativePath(file)}\` shows the recorded run; \`${rerecordCommand(context)}\` records it again.`;
}
