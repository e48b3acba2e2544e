// Makes a model's arguments safe before a tool sees them. It drops keys that reach prototypes at every depth, refuses arguments that
// are too deep or too large, and checks the rest against the tool's JSON Schema.

import { dereference, Validator, type OutputUnit, type Schema, type SchemaDraft } from "@cfworker/json-schema";
import { copyJson } from "../canon/copy.js";
import { isPlainObject, type JsonObject } from "../canon/value.js";
import { toPointer } from "../canon/pointer.js";
import { AgentError, ToolArgError, invalidOptions } from "../errors.js";
import { MAX_ARGUMENT_DEPTH } from "../limits.js";
import { boundSchema, findExcess } from "./argument-bounds.js";
import { createQuickCheck } from "./quick-check.js";
import { findSchemaFlaw } from "./schema-flaw.js";
import { thrownText } from "../text/thrown.js";

/** Keys that reach prototypes. They are dropped from arguments at every depth. */
export const FORBIDDEN_KEYS: readonly string[] = ["__proto__", "constructor", "prototype"];

/**
 * Copies arguments without {@link FORBIDDEN_KEYS}. Values other than arrays and plain objects pass through as they are. Throws
 * {@link ToolArgError} for arguments that are nested too deeply.
 */
export function scrubArguments<T>(args: T): T {
  return scrub(args, []) as T;
}

/** `path` is shared by the whole walk. */
function scrub(value: unknown, path: (string | number)[]): unknown {
  if (typeof value !== "object" || value === null) return value;
  const isList = Array.isArray(value);
  if (!isList && !isPlainObject(value)) return value;
  if (path.length >= MAX_ARGUMENT_DEPTH) {
    throw new ToolArgError(`the arguments are nested deeper than ${MAX_ARGUMENT_DEPTH} levels`, {
      field: toPointer(path),
    });
  }
  if (isList) return value.map((item, index) => scrubAt(index, item, path));
  const result: Record<string, unknown> = {};
  for (const key of Object.keys(value)) {
    if (!FORBIDDEN_KEYS.includes(key)) result[key] = scrubAt(key, value[key], path);
  }
  return result;
}

function scrubAt(key: string | number, inner: unknown, path: (string | number)[]): unknown {
  if (typeof inner !== "object" || inner === null) return inner;
  path.push(key);
  const clean = scrub(inner, path);
  path.pop();
  return clean;
}

/** Checks arguments against one tool's schema and returns the scrubbed copy. Throws only {@link ToolArgError}. */
export type ArgumentCheck = (args: unknown) => JsonObject;

/** Reads the schema immediately. Throws `AgentError` `invalid-options` for an invalid JSON Schema, with the place in it. */
export function createArgumentCheck(tool: string, schema: JsonObject): ArgumentCheck {
  const open = createValidator(tool, schema);
  const isSurelyValid = createQuickCheck(schema);
  let validator = isSurelyValid === undefined ? open() : undefined;
  return (args) => {
    try {
      const clean = boundArguments(tool, args);
      if (isSurelyValid?.(clean) !== true) assertValid(tool, (validator ??= open()), clean);
      return clean as JsonObject;
    } catch (error) {
      if (error instanceof ToolArgError) throw error;
      throw new ToolArgError(`the arguments of ${tool} could not be checked: ${thrownText(error)}`, {
        tool,
        cause: error,
      });
    }
  };
}

/** Whether arguments match a schema. `unchecked`: they exceed a limit, so the answer is unknown. `what` is one clause. */
export type ArgumentMatch =
  { kind: "match" } | { kind: "mismatch"; pointer: string; what: string } | { kind: "unchecked"; what: string };

/** {@link createArgumentCheck} for a schema that the tool's author did not write. Returns a result and never throws. */
export function createArgumentMatch(tool: string, schema: JsonObject): (args: unknown) => ArgumentMatch {
  const validator = createValidator(tool, schema)();
  return (args) => {
    try {
      const { valid, errors } = validator.validate(boundArguments(tool, args));
      if (valid) return { kind: "match" };
      const { pointer, error: what } = deepest(errors);
      return { kind: "mismatch", pointer, what };
    } catch (error) {
      return { kind: "unchecked", what: thrownText(error) };
    }
  };
}

/** Whether any JSON value matches a schema. It has the bounds of arguments, and nothing is dropped from it. `owner` is named in errors. */
export function createValueMatch(owner: string, schema: JsonObject): (value: unknown) => ArgumentMatch {
  const validator = createValidator(owner, schema)();
  return (value) => {
    try {
      const excess = findExcess(value) ?? (isDeeper(value, MAX_ARGUMENT_DEPTH) ? TOO_DEEP : undefined);
      if (excess !== undefined) return { kind: "unchecked", what: `the values of ${owner} ${excess}` };
      const { valid, errors } = validator.validate(value);
      if (valid) return { kind: "match" };
      const { pointer, error: what } = deepest(errors);
      return { kind: "mismatch", pointer, what };
    } catch (error) {
      return { kind: "unchecked", what: thrownText(error) };
    }
  };
}

const TOO_DEEP = `are nested deeper than ${MAX_ARGUMENT_DEPTH} levels`;

function isDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => isDeeper(inner, levels - 1));
}

function boundArguments(tool: string, args: unknown): Record<string, unknown> {
  if (!isPlainObject(args)) throw new ToolArgError(`the arguments of ${tool} are not an object`, { tool, field: "" });
  const excess = findExcess(args);
  if (excess !== undefined) throw new ToolArgError(`the arguments of ${tool} ${excess}`, { tool, field: "" });
  return scrubArguments(args);
}

function assertValid(tool: string, validator: Validator, args: unknown): void {
  const { valid, errors } = validator.validate(args);
  if (valid) return;
  const field = deepest(errors);
  throw new ToolArgError(
    `the arguments of ${tool} do not match its schema: ${field.error} (at ${field.pointer || "the top"})`,
    {
      tool,
      field: field.pointer,
    },
  );
}

/** Picks the last error, which is closest to the wrong value. The validator lists outer keywords first. */
function deepest(errors: OutputUnit[]): { pointer: string; error: string } {
  const error = errors.at(-1);
  return {
    pointer: error === undefined ? "" : decodeURIComponent(error.instanceLocation.replace(/^#/, "")),
    error: error?.error ?? "refused",
  };
}

/** Reads a copy of the schema and returns a factory. Building the validator is the slow part, and it may never be needed. */
function createValidator(tool: string, schema: JsonObject): () => Validator {
  if (!isPlainObject(schema)) throw unusable(tool, "it is not an object");
  const usable = <T>(make: () => T): T => {
    try {
      return make();
    } catch (error) {
      if (error instanceof AgentError && error.code === "invalid-options") throw error;
      throw unusable(tool, thrownText(error), error);
    }
  };
  // The validator modifies its schema, so it gets a copy.
  const bounded = usable(() => copyJson(schema));
  const draft = draftOf(bounded);
  const flaw = usable(() => findSchemaFlaw(bounded, draft === "4"));
  if (flaw !== undefined) throw unusable(tool, `${flaw.what} (at ${flaw.pointer || "the top"})`);
  return () =>
    usable(() => {
      boundSchema(bounded);
      const own = bounded as Schema;
      const missing = unresolvedReference(own);
      if (missing !== undefined) throw unusable(tool, `its $ref ${missing} points to nothing in the schema`);
      return new Validator(own, draft, true);
    });
}

function unusable(tool: string, why: string, cause?: unknown): AgentError {
  return invalidOptions(
    `the schema of tool ${tool} cannot be used: ${why}`,
    "Pass a self-contained JSON Schema such as { type: 'object', properties: { … } }.",
    cause,
  );
}

/** Finds the first `$ref` without a matching `$id`, anchor or pointer in the schema. Nothing is ever fetched. */
function unresolvedReference(schema: Schema): string | undefined {
  const places = dereference(schema);
  for (const place of Object.values(places)) {
    if (typeof place === "boolean" || place.$ref === undefined) continue;
    const target = (place as { __absolute_ref__?: string }).__absolute_ref__ ?? place.$ref;
    if (places[target] === undefined) return place.$ref;
  }
  return undefined;
}

function draftOf(schema: JsonObject): SchemaDraft {
  const declared = typeof schema["$schema"] === "string" ? schema["$schema"] : "";
  if (declared.includes("draft-04")) return "4";
  if (declared.includes("draft-07")) return "7";
  if (declared.includes("2019-09")) return "2019-09";
  return "2020-12";
}
