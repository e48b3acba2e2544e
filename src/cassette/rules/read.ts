// Reads a file of rules. Unknown fields are refused, since every run would keep a misspelled rule.

import {
  canonicalize,
  defined,
  isPlainObject,
  seal,
  showValue,
  thrownText,
  toPointer,
  type FilePort,
} from "../../core/index.js";
import { CassetteError } from "../errors.js";
import { readWhole } from "../file/read-bytes.js";
import { parseSettings } from "../file/authored-json.js";
import { MAX_RULES, MAX_RULES_FILE_BYTES, MAX_RULE_ID_CHARACTERS, MAX_RULE_REASON_CHARACTERS } from "../limits.js";
import { compileCallPattern } from "./call-pattern.js";
import { RULE_KINDS, type Rule, type RuleKind, type RuleSet } from "./format.js";

const LIMITS = ["maxTokens", "maxCostUsd", "maxTurns", "maxCalls"];
const HINT = "See docs/rules.md. With schemas/rules.schema.json, an editor checks the file as you type.";

type Path = readonly (string | number)[];
type Refuse = (what: string, path: Path) => never;
type Fields = Record<string, unknown>;

/** Parses the text of a rules file. Throws {@link CassetteError} `rules-malformed` with a JSON pointer. */
export function parseRules(input: string | Uint8Array, options: { file?: string } = {}): RuleSet {
  const format = { maxBytes: MAX_RULES_FILE_BYTES, what: "rules", code: "rules-malformed", hint: HINT } as const;
  return checkRuleSet(parseSettings(input, { ...options, ...format }), options);
}

/** {@link parseRules} for a file. Also throws `file-not-found`, `file-unreadable` and `too-large`. */
export async function readRules(files: FilePort, path: string): Promise<RuleSet> {
  const missing = "Check the path. docs/rules.md shows a rules file.";
  const bytes = await readWhole(files, path, { what: "file of rules", maxBytes: MAX_RULES_FILE_BYTES, missing });
  return parseRules(bytes, { file: path });
}

/** {@link parseRules} for a value, such as an object of a test. Throws {@link CassetteError} `rules-malformed`. */
export function checkRuleSet(value: unknown, { file }: { file?: string } = {}): RuleSet {
  const refuse: Refuse = (what, path) => {
    const pointer = toPointer(path);
    const message = `the rules ${what} (at ${pointer || "the top"})`;
    throw new CassetteError("rules-malformed", message, { pointer, hint: HINT, ...defined({ file }) });
  };
  const { rulesVersion, rules } = fieldsOf(value, ["$schema", "rulesVersion", "rules"], [], refuse);
  if (rulesVersion !== 1) refuse(`have the rulesVersion ${showValue(rulesVersion)}, not 1`, ["rulesVersion"]);
  if (!Array.isArray(rules) || rules.length === 0) return refuse("must be a list with at least one rule", ["rules"]);
  if (rules.length > MAX_RULES) refuse(`are ${rules.length}, more than the limit of ${MAX_RULES}`, ["rules"]);
  const ids = new Set<string>();
  rules.forEach((rule, index) => {
    const { id } = checkRule(rule, ["rules", index], refuse);
    if (ids.has(id)) refuse(`have the id ${showValue(id)} twice`, ["rules", index, "id"]);
    ids.add(id);
  });
  return { rules: seal(rules) as readonly Rule[] };
}

function checkRule(value: unknown, path: Path, refuse: Refuse): Rule {
  const fields = fieldsOf(value, ["id", "reason", "allowUnknown", ...RULE_KINDS], path, refuse);
  const { id, reason } = fields;
  if (typeof id !== "string" || id === "" || id.length > MAX_RULE_ID_CHARACTERS) {
    refuse(`have a rule without an id of 1 to ${MAX_RULE_ID_CHARACTERS} characters`, [...path, "id"]);
  }
  if (reason !== undefined && (typeof reason !== "string" || reason.length > MAX_RULE_REASON_CHARACTERS)) {
    refuse(`have a reason that is not a text of at most ${MAX_RULE_REASON_CHARACTERS} characters`, [...path, "reason"]);
  }
  const kinds = RULE_KINDS.filter((kind) => Object.hasOwn(fields, kind));
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    const found = kinds.length === 0 ? "none" : kinds.join(" and ");
    return refuse(`have a rule with ${found} of ${RULE_KINDS.join(", ")}, but it needs exactly one`, path);
  }
  if (Object.hasOwn(fields, "allowUnknown")) {
    const place = [...path, "allowUnknown"];
    if (kind !== "within") refuse("have an allowUnknown outside a rule of the kind within", place);
    if (typeof fields["allowUnknown"] !== "boolean") refuse("have an allowUnknown that is not true or false", place);
  }
  CHECKS[kind](fields[kind], [...path, kind], refuse);
  return value as Rule;
}

const CHECKS: Readonly<Record<RuleKind, (value: unknown, path: Path, refuse: Refuse) => void>> = {
  never: checkPattern,
  before(value, path, refuse) {
    const { first, then } = fieldsOf(value, ["first", "then"], path, refuse);
    checkPattern(first, [...path, "first"], refuse);
    checkPattern(then, [...path, "then"], refuse);
    if (canonicalize(first) === canonicalize(then)) refuse("require a call before itself", path);
  },
  atMost: checkCount,
  atLeast: checkCount,
  arguments(value, path, refuse) {
    const { tool, schema } = fieldsOf(value, ["tool", "schema"], path, refuse);
    checkTool(tool, [...path, "tool"], refuse);
    if (schema === undefined) refuse("have no schema", [...path, "schema"]);
    checkPattern({ tool, arguments: schema }, path, refuse, "schema");
  },
  within(value, path, refuse) {
    const limits = fieldsOf(value, LIMITS, path, refuse);
    if (Object.keys(limits).length === 0)
      refuse(`have a within rule without a limit: set at least one of ${LIMITS.join(", ")}`, path);
    for (const [name, limit] of Object.entries(limits)) {
      const isFigure = typeof limit === "number" && limit >= 0 && Number.isFinite(limit);
      if (isFigure && (name === "maxCostUsd" || Number.isSafeInteger(limit))) continue;
      const wanted = name === "maxCostUsd" ? "number" : "whole number";
      refuse(`have the ${name} ${showValue(limit)}, which must be a ${wanted} of 0 or more`, [...path, name]);
    }
  },
};

function checkCount(value: unknown, path: Path, refuse: Refuse): void {
  const { call, times } = fieldsOf(value, ["call", "times"], path, refuse);
  checkPattern(call, [...path, "call"], refuse);
  if (Number.isSafeInteger(times) && (times as number) >= 1) return;
  refuse(`have the times ${showValue(times)}, which must be a whole number of 1 or more`, [...path, "times"]);
}

function checkPattern(value: unknown, path: Path, refuse: Refuse, schemaField = "arguments"): void {
  if (typeof value === "string") {
    checkTool(value, path, refuse);
    return;
  }
  const { tool, arguments: schema } = fieldsOf(value, ["tool", "arguments"], path, refuse);
  checkTool(tool, [...path, "tool"], refuse);
  if (schema === undefined) return;
  const place = [...path, schemaField];
  if (!isPlainObject(schema)) return refuse(`have a schema that is ${showValue(schema)}, not an object`, place);
  try {
    compileCallPattern(value as { tool: string });
  } catch (error) {
    refuse(`have a schema that cannot be used: ${thrownText(error)}`, place);
  }
}

function checkTool(value: unknown, path: Path, refuse: Refuse): void {
  if (typeof value !== "string" || value === "") refuse(`have ${showValue(value)} in place of a tool's name`, path);
}

function fieldsOf(value: unknown, known: readonly string[], path: Path, refuse: Refuse): Fields {
  if (!isPlainObject(value)) return refuse(`have ${showValue(value)} in place of an object`, path);
  const unknown = Object.keys(value).find((key) => !known.includes(key));
  if (unknown !== undefined) {
    refuse(`have an unknown field: ${showValue(unknown)}. Use ${known.join(", ")}`, [...path, unknown]);
  }
  return value;
}
