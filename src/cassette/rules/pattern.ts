// Which calls a rule means. A call whose arguments cannot be held against the schema (text that is no object, or beyond the
// limits of a check) is neither surely meant nor surely not, and a rule takes whichever of the two breaks it.

import type { ArgumentMatch, LlmToolCall } from "../../core/index.js";
import type { CallPattern } from "./format.js";
import { createRuleMatch } from "./rule-match.js";

/** What a rule looks at. */
export type AskedCall = Pick<LlmToolCall, "name" | "arguments" | "malformedArguments">;

export interface Pattern {
  readonly tool: string;
  /** True where only calls with certain arguments are meant. */
  readonly isNarrow: boolean;
  /** Undefined for a call of another tool. */
  match(call: AskedCall): ArgumentMatch | undefined;
}

const MATCH: ArgumentMatch = { kind: "match" };
const MALFORMED: ArgumentMatch = { kind: "unchecked", what: "the model wrote no JSON object as arguments" };

/** Throws `AgentError` `invalid-options` for a schema that cannot be used. */
export function compilePattern(pattern: CallPattern): Pattern {
  const { tool, arguments: schema } = typeof pattern === "string" ? { tool: pattern } : pattern;
  const matches = schema === undefined ? undefined : createRuleMatch(tool, schema);
  return {
    tool,
    isNarrow: matches !== undefined,
    match(call) {
      if (call.name !== tool) return undefined;
      if (matches === undefined) return MATCH;
      return call.malformedArguments === undefined ? matches(call.arguments) : MALFORMED;
    },
  };
}

/** True for a call that is meant, or may be. */
export function mayMean(pattern: Pattern, call: AskedCall): boolean {
  const match = pattern.match(call);
  return match !== undefined && match.kind !== "mismatch";
}

/** True for a call that is meant, whatever else. */
export function surelyMeans(pattern: Pattern, call: AskedCall): boolean {
  return pattern.match(call)?.kind === "match";
}
