// Ignored places in tool arguments: JSON pointers (RFC 6901) for one tool or every tool. `*` matches any one key or index, and
// `**` one or more.

import { parsePointer, setOwn, type JsonObject, type JsonValue } from "../../core/index.js";
import { CassetteError } from "../errors.js";

type Pattern = readonly string[];

export interface IgnoredPlaces {
  /** Removes the ignored places. An ignored array element becomes `null`, which keeps the others' index, or goes at the end. */
  prune(tool: string, value: JsonObject): JsonObject;
  covers(tool: string, pointer: string): boolean;
}

/** Parses the pointers. Throws "invalid-options" with all malformed ones. */
export function parseIgnore(ignore: readonly string[]): IgnoredPlaces {
  const malformed = ignore.filter((rule) => parseRule(rule) === undefined);
  if (malformed.length > 0) {
    throw new CassetteError("invalid-options", `ignore contains malformed pointers: ${JSON.stringify(malformed)}`, {
      hint: 'Write "/arg/path" for every tool or "tool:/arg/path" for one. "*" matches one key or index, and "**" one or more. Write "~1" for "/" and "~0" for "~".',
    });
  }
  const rules = ignore.flatMap((rule) => parseRule(rule) ?? []);
  const patternsOf = (tool: string): Pattern[] =>
    rules.filter((rule) => rule.tool === undefined || rule.tool === tool).map((rule) => rule.pattern);

  return {
    prune: (tool, value) => prune(value, patternsOf(tool)) as JsonObject,
    covers(tool, pointer) {
      const keys = parsePointer(pointer) ?? [];
      const left = keys.reduce((patterns: readonly Pattern[], key) => below(patterns, key), patternsOf(tool));
      return left.some((pattern) => pattern.length === 0);
    },
  };
}

/** The tool ends at the first ":/", so that its name may have a colon in it. */
function parseRule(rule: string): { tool?: string; pattern: Pattern } | undefined {
  const colon = rule.startsWith("/") ? -1 : rule.indexOf(":/");
  const pointer = rule.slice(colon + 1);
  const pattern = parsePointer(pointer);
  if (colon === 0 || pattern === undefined || pattern.length === 0) return undefined;
  return colon < 0 ? { pattern } : { tool: rule.slice(0, colon), pattern };
}

function prune(value: JsonValue, patterns: readonly Pattern[]): JsonValue {
  if (patterns.length === 0 || typeof value !== "object" || value === null) return value;
  return Array.isArray(value) ? pruneArray(value, patterns) : pruneObject(value, patterns);
}

function pruneObject(object: JsonObject, patterns: readonly Pattern[]): JsonObject {
  const result: JsonObject = {};
  for (const key of Object.keys(object)) {
    const inner = descend(patterns, key);
    if (inner !== "ignored") setOwn(result, key, prune(object[key] as JsonValue, inner));
  }
  return result;
}

function pruneArray(list: readonly JsonValue[], patterns: readonly Pattern[]): JsonValue[] {
  const result: JsonValue[] = [];
  let length = 0;
  list.forEach((item, index) => {
    const inner = descend(patterns, String(index));
    result.push(inner === "ignored" ? null : prune(item, inner));
    if (inner !== "ignored") length = result.length;
  });
  return result.slice(0, length);
}

function descend(patterns: readonly Pattern[], key: string): Pattern[] | "ignored" {
  const inner = below(patterns, key);
  return inner.some((pattern) => pattern.length === 0) ? "ignored" : inner;
}

/** The patterns that apply one key further down. `**` also stays. */
function below(patterns: readonly Pattern[], key: string): Pattern[] {
  return patterns.flatMap((pattern) => {
    const [segment, ...rest] = pattern;
    if (segment === "**") return [rest, pattern];
    return segment === "*" || segment === key ? [rest] : [];
  });
}
