// Decides which calls a rule applies to. For a call whose arguments cannot be checked, it decides so that the rule is broken.

import type { ArgumentMatch, LlmToolCall } from "../../core/index.js";
import type { CallPattern } from "./format.js";
import { createRuleMatch } from "./rule-match.js";

export type AskedCall = Pick<LlmToolCall, "name" | "arguments" | "malformedArguments">;

export interface Pattern {
  readonly tool: string;
  /** True if the rule applies only to calls with certain arguments. */
  readonly isNarrow: boolean;
  /** Undefined for a call of another tool. */
  match(call: AskedCall): ArgumentMatch | undefined;
}

const MATCH: ArgumentMatch = { kind: "match" };
const MALFORMED: ArgumentMatch = {
  kind: "unchecked",
  what: "the arguments that the model wrote are not a JSON object",
};

/** Throws `AgentError` `invalid-options` for a schema that cannot be used. */
export function compileCallPattern(pattern: CallPattern): Pattern {
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

export function mayMean(pattern: Pattern, call: AskedCall): boolean {
  const match = pattern.match(call);
  return match !== undefined && match.kind !== "mismatch";
}

export function surelyMeans(pattern: Pattern, call: AskedCall): boolean {
  return pattern.match(call)?.kind === "match";
}
