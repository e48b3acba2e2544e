// Places in tool arguments that a comparison leaves out: `/arg/path` in every tool's arguments, `tool:/arg/path` in one
// tool's. JSON pointers (RFC 6901) with one addition: `*` stands for any one object key or array index.

import { parsePointer, setOwn, type JsonObject, type JsonValue } from "../../core/index.js";
import { CassetteError } from "../errors.js";

type Pattern = readonly string[];

export interface IgnoreRules {
  /**
   * The arguments without the ignored places. An ignored array element leaves `null`, so that the others keep their
   * index, and nothing at the end of its array.
   */
  prune(tool: string, value: JsonObject): JsonObject;
  /** True when the place that `pointer` names is left out. */
  covers(tool: string, pointer: string): boolean;
}

/** Reads the rules. Throws "invalid-options" with all that are malformed. */
export function parseIgnore(ignore: readonly string[]): IgnoreRules {
  const malformed = ignore.filter((rule) => parseRule(rule) === undefined);
  if (malformed.length > 0) {
    throw new CassetteError("invalid-options", `ignore has no valid pointer in ${JSON.stringify(malformed)}`, {
      hint: 'Write "/arg/path" for every tool or "tool:/arg/path" for one; "*" stands for one key or index, "~1" for "/", "~0" for "~".',
    });
  }
  const rules = ignore.flatMap((rule) => parseRule(rule) ?? []);
  const patternsOf = (tool: string): Pattern[] =>
    rules.filter((rule) => rule.tool === undefined || rule.tool === tool).map((rule) => rule.pattern);

  return {
    prune: (tool, value) => prune(value, patternsOf(tool)) as JsonObject,
    covers(tool, pointer) {
      const keys = parsePointer(pointer) ?? [];
      return patternsOf(tool).some(
        (pattern) => pattern.length === keys.length && keys.every((key, index) => fits(pattern[index], key)),
      );
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

function fits(segment: string | undefined, key: string): boolean {
  return segment === "*" || segment === key;
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

/** What is left of the patterns one key further down. */
function descend(patterns: readonly Pattern[], key: string): Pattern[] | "ignored" {
  const inner = patterns.filter((pattern) => fits(pattern[0], key)).map((pattern) => pattern.slice(1));
  return inner.some((pattern) => pattern.length === 0) ? "ignored" : inner;
}
