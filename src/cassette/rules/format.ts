// The shape of a file of rules: what every run must keep, whoever recorded it. Published as schemas/rules.schema.json;
// described in docs/rules.md.

import type { JsonObject } from "../../core/index.js";

/** What a file of rules is called unless somebody says otherwise. */
export const RULES_FILE = "cassette.rules.json";

/** Which calls are meant: all of one tool, or those of its calls whose arguments match a JSON Schema. */
export type CallPattern = string | { tool: string; arguments?: JsonObject };

/** The most that a run may take. At least one of them. */
export interface RunLimits {
  /** Input and output tokens together. */
  maxTokens?: number;
  maxCostUsd?: number;
  /** Provider calls. */
  maxTurns?: number;
  maxCalls?: number;
}

/** What a rule demands. A rule has exactly one of these. */
export type RuleBody =
  /** No such call. */
  | { never: CallPattern }
  /** Each call of `then` needs one of `first` in an earlier turn. */
  | { before: { first: CallPattern; then: CallPattern } }
  | { atMost: { call: CallPattern; times: number } }
  | { atLeast: { call: CallPattern; times: number } }
  /** Every call of the tool has arguments that match. */
  | { arguments: { tool: string; schema: JsonObject } }
  /** `allowUnknown`: a turn that does not say its tokens or cost counts as none. Default false: the rule is not kept then. */
  | { within: RunLimits; allowUnknown?: boolean };

/** One rule of a file of rules (docs/rules.md, schemas/rules.schema.json). */
export type Rule = {
  /** Unique in its file; what a report names. */
  id: string;
  /** Why there is this rule, for whoever breaks it. */
  reason?: string;
} & RuleBody;

/** What a rule is about: the name of the one field that says it. */
export type RuleKind = "never" | "before" | "atMost" | "atLeast" | "arguments" | "within";

/** Every {@link RuleKind}. */
export const RULE_KINDS: readonly RuleKind[] = ["never", "before", "atMost", "atLeast", "arguments", "within"];

/** Rules that were read and checked; see `parseRules`. */
export interface RuleSet {
  readonly rules: readonly Rule[];
}

/** A rule that a run does not keep, and where. */
export interface RuleBreak {
  rule: string;
  kind: RuleKind;
  /** `unknown`: the recording does not say what the rule asks for, and the rule does not allow that. */
  state: "broken" | "unknown";
  /** The turn in which it broke, from 0; the last one for what the whole run lacks. */
  turn: number;
  /** JSON pointer (RFC 6901) into the cassette, and of a live run into the cassette that it would be. */
  pointer: string;
  /** What happened and what the rule asks for, on one line. */
  sentence: string;
  reason?: string;
  /** Further breaks of the same rule, which are not listed; on the last one that is. */
  more?: number;
}

/** The tools that a rule names. */
export function toolsIn(rule: Rule): string[] {
  if ("never" in rule) return [toolOf(rule.never)];
  if ("before" in rule) return [toolOf(rule.before.first), toolOf(rule.before.then)];
  if ("atMost" in rule) return [toolOf(rule.atMost.call)];
  if ("atLeast" in rule) return [toolOf(rule.atLeast.call)];
  return "arguments" in rule ? [rule.arguments.tool] : [];
}

function toolOf(pattern: CallPattern): string {
  return typeof pattern === "string" ? pattern : pattern.tool;
}

/** Which demand a rule makes. */
export function kindOf(rule: Rule): RuleKind {
  return RULE_KINDS.find((kind) => kind in rule) as RuleKind;
}
