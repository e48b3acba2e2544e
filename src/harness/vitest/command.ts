// The commands a failed matcher names: the one that records this very test again, and the one that shows what was recorded.

import { relative, sep } from "node:path";
import type { MatcherContext } from "./matcher.js";
import { shellPath, shellText } from "./words.js";

/** `CASSETTE_MODE=refresh …` for the running test alone; outside of a test the variable without a command. */
export function rerecordCommand({ currentTestName, testPath, dontThrow }: MatcherContext): string {
  if (currentTestName === undefined || currentTestName === "") return "CASSETTE_MODE=refresh";
  const runner = dontThrow === undefined ? "npx vitest run" : "npx jest";
  const file = testPath === undefined ? "" : ` ${shellPath(relative("", testPath).split(sep).join("/"))}`;
  return `CASSETTE_MODE=refresh ${runner}${file} -t ${shellText(testPattern(currentTestName))}`;
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
  return `\n\`cassette show ${shellPath(file)}\` shows the recorded run; \`${rerecordCommand(context)}\` records it again.`;
}
