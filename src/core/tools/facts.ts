// What may be told of a tool call outside the run: to a screen, a stream of events, another process. The event log keeps the
// whole story; this is the part of it that is bounded and was checked.

import type { JsonObject } from "../canon/value.js";
import { scrubArguments } from "./arguments.js";

/** Characters of a result that are told. */
export const MAX_SUMMARY_CHARACTERS = 500;

export interface CallFacts {
  readonly toolId: string;
  readonly toolInput: JsonObject;
}

export interface ResultFacts {
  readonly toolId: string;
  readonly success: boolean;
  readonly outputSummary: string;
}

/** The input is `{}` of a call that no tool got to see: what was refused was not checked, either. */
export function callFacts(tool: string, args: JsonObject, refused: boolean): CallFacts {
  return { toolId: tool, toolInput: refused ? {} : scrubArguments(args) };
}

/** `output` is what the tool gave or why it did not. */
export function resultFacts(tool: string, success: boolean, output: string): ResultFacts {
  return { toolId: tool, success, outputSummary: summarize(output) };
}

function summarize(output: string): string {
  if (output.length <= MAX_SUMMARY_CHARACTERS) return output.toWellFormed();
  const kept = output.slice(0, MAX_SUMMARY_CHARACTERS - 1);
  // A pair that the cut would halve goes as a whole.
  const whole = /[\ud800-\udbff]$/.test(kept) ? kept.slice(0, -1) : kept;
  return `${whole.toWellFormed()}…`;
}
