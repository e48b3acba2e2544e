// Arguments as a model wrote them, made safe before any tool sees them: keys that reach prototypes are dropped at every
// depth, what is deeply nested or large is refused, and the rest must match the tool's JSON Schema.

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

/** Keys that reach prototypes: dropped from arguments at every depth before a tool sees them. */
export const FORBIDDEN_KEYS: readonly string[] = ["__proto__", "constructor", "prototype"];

/** A copy without {@link FORBIDDEN_KEYS}. Neither plain objects nor arrays are passed through. Throws {@link ToolArgError} when too deep. */
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

/** Checks arguments against one tool's schema. Returns the scrubbed copy; throws nothing but {@link ToolArgError}. */
export type ArgumentCheck = (args: unknown) => JsonObject;

/** Reads the schema at once. Throws `AgentError` `invalid-options` when it is no JSON Schema, with the place in it. */
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

/** Whether arguments match a schema. `unchecked`: they are beyond a limit, so nobody knows. `what` is one clause. */
export type ArgumentMatch =
  { kind: "match" } | { kind: "mismatch"; pointer: string; what: string } | { kind: "unchecked"; what: string };

/** {@link createArgumentCheck} for a schema of somebody else than the tool's author; gives an answer and never throws. */
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

/** The error nearest to a value: the validator lists the schema's outer keywords first. */
function deepest(errors: OutputUnit[]): { pointer: string; error: string } {
  const error = errors.at(-1);
  return {
    pointer: error === undefined ? "" : decodeURIComponent(error.instanceLocation.replace(/^#/, "")),
    error: error?.error ?? "refused",
  };
}

/** Reads a copy of the schema, and gives what makes its validator, which takes most of the time and may never be asked. */
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
  // The validator writes marks into the schema it is given, so it gets a copy.
  const bounded = usable(() => copyJson(schema));
  const draft = draftOf(bounded);
  const flaw = usable(() => findSchemaFlaw(bounded, draft === "4"));
  if (flaw !== undefined) throw unusable(tool, `${flaw.what} (at ${flaw.pointer || "the top"})`);
  return () =>
    usable(() => {
      boundSchema(bounded);
      const own = bounded as Schema;
      const missing = unresolvedReference(own);
      if (missing !== undefined) throw unusable(tool, `its $ref ${missing} leads nowhere`);
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

/** The first `$ref` that no `$id`, anchor or pointer of the schema answers; nothing is ever fetched. */
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
