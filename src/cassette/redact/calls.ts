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
  const found: RedactedArgument[] = [];
  for (const { name, arguments: args } of response.message.toolCalls ?? []) {
    visitTexts(args, [], (text, path) => {
      for (const { rule } of placeholdersIn(text)) found.push({ turn, tool: name, pointer: toPointer(path), rule });
    });
  }
  return found;
}

/** Visits each key, and then the texts in its value. `path` leads to the text, and is valid only during the visit. */
function visitTexts(value: JsonValue, path: string[], visit: (text: string, path: readonly string[]) => void): void {
  if (typeof value === "string") visit(value, path);
  if (typeof value !== "object" || value === null) return;
  for (const [key, inner] of Object.entries(value)) {
    path.push(key);
    visit(key, path);
    visitTexts(inner, path, visit);
    path.pop();
  }
}
