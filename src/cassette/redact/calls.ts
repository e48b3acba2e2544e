// Finds recorded calls with a placeholder in their arguments. A replay refuses them before a live tool uses the placeholder as a value.

import { toPointer, type JsonValue, type LlmTurnResponse } from "../../core/index.js";
import { placeholdersIn } from "./placeholder.js";

/** One argument of a recorded call that was redacted. */
export interface RedactedArgument {
  /** Index of the recorded turn that makes the call. */
  readonly turn: number;
  readonly tool: string;
  /** JSON pointer into the arguments. */
  readonly pointer: string;
  /** Id of the rule that replaced the value. */
  readonly rule: string;
}

/** Lists every placeholder in the arguments of an answer's calls, in order. */
export function redactedCalls(response: LlmTurnResponse, turn: number): RedactedArgument[] {
  const { toolCalls = [] } = response.message;
  return toolCalls.flatMap(({ name, arguments: args }) =>
    placesIn(args, []).map(({ path, rule }) => ({ turn, tool: name, pointer: toPointer(path), rule })),
  );
}

interface Place {
  path: readonly (string | number)[];
  rule: string;
}

function placesIn(value: JsonValue, path: readonly (string | number)[]): Place[] {
  if (typeof value === "string") return placeholdersIn(value).map(({ rule }) => ({ path, rule }));
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([key, inner]) => [
    ...placeholdersIn(key).map(({ rule }) => ({ path: [...path, key], rule })),
    ...placesIn(inner, [...path, key]),
  ]);
}
