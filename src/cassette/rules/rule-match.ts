// Matches the arguments of a call against the schema of a rule, in bounded time. The validator would run a `pattern` as a regular
// expression of the engine, and some take exponential time. So the search of `regex/compile.ts` matches the patterns first, and the
// validator gets the results as lists of texts and names.

import {
  AgentError,
  copyJson,
  createArgumentMatch,
  eachSchema,
  isPlainObject,
  MAX_ARGUMENT_VALUES,
  type ArgumentMatch,
  type JsonObject,
  type JsonValue,
} from "../../core/index.js";
import { MAX_PATTERN_INPUT, MAX_PATTERN_TEXTS, MAX_PATTERN_WORK } from "../limits.js";
import { compilePattern, type CompiledPattern } from "../regex/compile.js";
import { findEndlessReference } from "./circular-refs.js";

type Regex = Extract<CompiledPattern, { kind: "compiled" }>;

/** Texts of a call that match a pattern, and texts beyond the limits. */
interface Judged {
  matching: string[];
  unknown: string[];
}

/** Throws `AgentError` `invalid-options` for a schema that cannot be used in bounded time. The returned function never throws. */
export function createRuleMatch(tool: string, schema: JsonObject): (args: unknown) => ArgumentMatch {
  const whole = createArgumentMatch(tool, schema);
  const loop = findEndlessReference(schema);
  if (loop !== undefined) throw unusable(tool, `its $ref ${loop} leads back to itself, so a check would never end`);
  const texts = compileAll(tool, patternsOf(schema, "pattern"));
  const names = compileAll(tool, patternsOf(schema, "patternProperties"));
  if (texts.size + names.size === 0) return whole;
  // A reference to a schema below a pattern's name would be lost.
  createArgumentMatch(tool, rewrite(schema, { texts: new Map(), names: new Map() }, true));
  const isSchemaMonotone = isMonotone(schema);
  return (args) => {
    const found = textsIn(args);
    if (!found.texts.every((text) => text.isWellFormed())) {
      return {
        kind: "unchecked",
        what: "a text in the arguments has a lone surrogate, so it cannot be matched against a pattern",
      };
    }
    const budget = { left: MAX_PATTERN_WORK };
    const results = { texts: judgeAll(texts, found.texts, budget), names: judgeAll(names, found.names, budget) };
    const match = (takesUnknown: boolean): ArgumentMatch =>
      withWords(createArgumentMatch(tool, rewrite(schema, results, takesUnknown))(args), results.texts);
    const first = match(true);
    const isKnown = [...results.texts.values(), ...results.names.values()].every(({ unknown }) => unknown.length === 0);
    if (isKnown) return first;
    const other = match(false);
    if (isSchemaMonotone && first.kind === other.kind) return other;
    return { kind: "unchecked", what: "a text in the arguments is too long to match against a pattern" };
  };
}

function patternsOf(schema: JsonObject, keyword: "pattern" | "patternProperties"): Set<string> {
  const patterns = new Set<string>();
  eachSchema(schema, ({ [keyword]: value }) => {
    if (typeof value === "string") patterns.add(value);
    if (isPlainObject(value)) for (const pattern of Object.keys(value)) patterns.add(pattern);
  });
  return patterns;
}

function compileAll(tool: string, patterns: Iterable<string>): Map<string, Regex> {
  const compiled = new Map<string, Regex>();
  for (const pattern of patterns) {
    const one = compilePattern(pattern);
    if (one.kind === "refused")
      throw unusable(tool, `its pattern ${JSON.stringify(pattern)} is refused: ${one.reason}`);
    compiled.set(pattern, one);
  }
  return compiled;
}

function unusable(tool: string, why: string): AgentError {
  return new AgentError("invalid-options", `the schema of tool ${tool} cannot be used: ${why}`, {
    hint: "A pattern has the syntax of JavaScript without back references, look-around and word boundaries.",
  });
}

function judgeAll(
  patterns: ReadonlyMap<string, Regex>,
  texts: readonly string[],
  budget: { left: number },
): Map<string, Judged> {
  const judged = new Map<string, Judged>();
  for (const [pattern, { matches, steps }] of patterns) {
    const result: Judged = { matching: [], unknown: [] };
    for (const [index, text] of texts.entries()) {
      const work = (text.length + 1) * steps;
      if (text.length > MAX_PATTERN_INPUT || index >= MAX_PATTERN_TEXTS || work > budget.left) {
        result.unknown.push(text);
        continue;
      }
      budget.left -= work;
      if (matches(text)) result.matching.push(text);
    }
    judged.set(pattern, result);
  }
  return judged;
}

interface Results {
  texts: ReadonlyMap<string, Judged>;
  names: ReadonlyMap<string, Judged>;
}

/** A copy of the schema with each pattern replaced by the texts or names that match it. */
function rewrite(schema: JsonObject, { texts, names }: Results, takesUnknown: boolean): JsonObject {
  const copy = copyJson(schema);
  eachSchema(copy, (each) => {
    const { pattern, patternProperties, allOf = [] } = each;
    if (typeof pattern === "string") {
      delete each["pattern"];
      const choice = { if: { type: "string" }, then: { enum: listOf(texts.get(pattern), takesUnknown) } };
      if (Array.isArray(allOf)) each["allOf"] = [...allOf, choice];
    }
    if (!isPlainObject(patternProperties)) return;
    const entries = Object.entries(patternProperties).flatMap(([name, inner], index): [string, JsonValue][] => {
      const list = listOf(names.get(name), takesUnknown);
      // Empty groups keep two names different when the same keys match both.
      return list.length === 0 ? [] : [[`^(?:${list.map(literally).join("|")})$${"(?:)".repeat(index)}`, inner]];
    });
    each["patternProperties"] = Object.fromEntries(entries);
  });
  return copy;
}

function listOf(judged: Judged | undefined, takesUnknown: boolean): string[] {
  if (judged === undefined) return [];
  return takesUnknown ? [...judged.matching, ...judged.unknown] : judged.matching;
}

function literally(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");
}

/** Puts the pattern into the validator's message, which shows the list instead. */
function withWords(match: ArgumentMatch, texts: ReadonlyMap<string, Judged>): ArgumentMatch {
  if (match.kind !== "mismatch") return match;
  for (const [pattern, judged] of texts) {
    for (const takesUnknown of [true, false]) {
      const list = JSON.stringify(listOf(judged, takesUnknown));
      if (match.what !== `Instance does not match any of ${list}.`) continue;
      return { ...match, what: `String does not match pattern ${JSON.stringify(pattern)}.` };
    }
  }
  return match;
}

/** Whether one more matching text can only turn a mismatch into a match. */
function isMonotone(schema: JsonObject): boolean {
  const other = ["not", "oneOf", "if", "maxContains", "patternProperties", "unevaluatedItems", "unevaluatedProperties"];
  let found = false;
  eachSchema(schema, (each) => {
    found ||= other.some((keyword) => Object.hasOwn(each, keyword));
  });
  return !found;
}

/** All texts (names too, for `propertyNames`) and the names alone, shortest first. A call with a text beyond the limit is not checked. */
function textsIn(args: unknown): { texts: string[]; names: string[] } {
  const [texts, names] = [new Set<string>(), new Set<string>()];
  const open: unknown[] = [args];
  for (let seen = 0; open.length > 0 && seen <= MAX_ARGUMENT_VALUES; seen++) {
    const value = open.pop();
    if (typeof value === "string") texts.add(value);
    if (Array.isArray(value)) {
      for (const item of value.slice(0, MAX_ARGUMENT_VALUES)) open.push(item);
    } else if (isPlainObject(value)) {
      for (const [key, inner] of Object.entries(value)) {
        names.add(key);
        texts.add(key);
        open.push(inner);
      }
    }
  }
  const inOrder = (all: Set<string>): string[] => [...all].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return { texts: inOrder(texts), names: inOrder(names) };
}
