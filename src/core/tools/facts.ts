// Summarises a tool call, with bounded size, for use outside the run: a screen, an event stream, another process.

import type { JsonObject } from "../canon/value.js";
import { MAX_SUMMARY_CHARACTERS } from "../limits.js";
import { scrubArguments } from "./argument-check.js";

interface ResultFacts {
  readonly toolId: string;
  readonly success: boolean;
  readonly outputSummary: string;
}

/** Returns the facts of a call. `toolInput` is `{}` for a refused call, whose arguments were not checked. */
export function callFacts(tool: string, args: JsonObject, refused: boolean): { toolId: string; toolInput: JsonObject } {
  return { toolId: tool, toolInput: refused ? {} : scrubArguments(args) };
}

/** Returns the facts of a result. `output` is the tool's result, or the reason why there is no result. */
export function resultFacts(tool: string, success: boolean, output: string): ResultFacts {
  return { toolId: tool, success, outputSummary: summarize(output) };
}

function summarize(output: string): string {
  if (output.length <= MAX_SUMMARY_CHARACTERS) return output.toWellFormed();
  const kept = output.slice(0, MAX_SUMMARY_CHARACTERS - 1);
  // Drops a surrogate pair that the cut would split.
  const whole = /[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept;
  return `${whole.toWellFormed()}…`;
}
