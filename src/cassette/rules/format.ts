// The shape of a file of rules, which every run must keep. Published as schemas/rules.schema.json, described in docs/rules.md.

import type { JsonObject } from "../../core/index.js";

export const RULES_FILE = "cassette.rules.json";

/** The calls that a rule applies to: all calls of one tool, or those whose arguments match a JSON Schema. */
export type CallPattern = string | { tool: string; arguments?: JsonObject };

/** Limits of a run. At least one is needed. */
export interface RunLimits {
  /** Input and output tokens together. */
  maxTokens?: number;
  maxCostUsd?: number;
  /** Provider calls. */
  maxTurns?: number;
  maxCalls?: number;
}

/** The demand of a rule, which has exactly one. */
export type RuleBody =
  | { never: CallPattern }
  /** Each call of `then` needs one of `first` in an earlier turn. */
  | { before: { first: CallPattern; then: CallPattern } }
  | { atMost: { call: CallPattern; times: number } }
  | { atLeast: { call: CallPattern; times: number } }
  /** Every call of the tool has arguments that match. */
  | { arguments: { tool: string; schema: JsonObject } }
  /** `allowUnknown`: turns without tokens or cost count as 0. Default false: such a run does not keep the rule. */
  | { within: RunLimits; allowUnknown?: boolean };

export type Rule = {
  /** Unique in its file. Reports show it. */
  id: string;
  /** The reason for the rule. Reports of a broken rule show it. */
  reason?: string;
} & RuleBody;

/** The kind of a rule: the name of the field with its demand. */
export type RuleKind = "never" | "before" | "atMost" | "atLeast" | "arguments" | "within";

export const RULE_KINDS: readonly RuleKind[] = ["never", "before", "atMost", "atLeast", "arguments", "within"];

/** A checked set of rules. See `parseRules`. */
export interface RuleSet {
  readonly rules: readonly Rule[];
}

/** A rule that a run does not keep, and the place. */
export interface RuleBreak {
  rule: string;
  kind: RuleKind;
  /** `unknown`: the recording lacks figures that the rule needs, and the rule does not allow that. */
  state: "broken" | "unknown";
  /** The turn in which it broke, from 0; the last turn for a break of the whole run. */
  turn: number;
  /** JSON pointer (RFC 6901) into the cassette; for a live run, into the cassette that it would become. */
  pointer: string;
  /** The event and the demand of the rule, on one line. */
  sentence: string;
  reason?: string;
  /** Number of further breaks of the same rule that are not listed; set on the last listed one. */
  more?: number;
}

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

export function kindOf(rule: Rule): RuleKind {
  return RULE_KINDS.find((kind) => kind in rule) as RuleKind;
}
