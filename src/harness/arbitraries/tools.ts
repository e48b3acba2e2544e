// What a model may write where it calls a tool: calls as a run has them, arguments that attack whoever copies or merges them,
// and texts that are no arguments at all.

import fc from "fast-check";
import {
  assertKnownOptions,
  FORBIDDEN_KEYS,
  setOwn,
  type JsonObject,
  type JsonValue,
  type LlmToolCall,
  type LlmToolDefinition,
} from "../../core/index.js";
import { jsonObject, jsonValue } from "./json.js";
import { toolSchema } from "./schemas.js";
import { text, word } from "./text.js";

/** The options of the arbitraries of tool calls. An unknown one is `AgentError` `invalid-options`. */
export interface ToolCallOptions {
  /** Names of tools that are called. Default `look`, `send_mail` and now and then any text. */
  readonly tools?: readonly string[];
}

/** A call without its id. */
export type CallBody = Omit<LlmToolCall, "id">;

/** A call as a provider gives it, some with arguments that were no JSON object. Shrinks to a call without arguments. */
export function toolCall(options: ToolCallOptions = {}): fc.Arbitrary<LlmToolCall> {
  assertKnownOptions("toolCall", options, ["tools"]);
  return fc.tuple(fc.nat(99), callBody(options.tools ?? [])).map(([index, body]) => ({ id: `call-${index}`, ...body }));
}

/** The same without an id; `tools` may be empty for the default names. */
export function callBody(tools: readonly string[]): fc.Arbitrary<CallBody> {
  const name =
    tools.length > 0
      ? fc.constantFrom(...tools)
      : fc.oneof(
          { withCrossShrink: true },
          { weight: 4, arbitrary: fc.constantFrom("look", "send_mail") },
          { weight: 1, arbitrary: text() },
        );
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 4, arbitrary: fc.record({ name, arguments: jsonObject() }) },
    {
      weight: 1,
      arbitrary: fc.record({
        name,
        arguments: fc.constant({}),
        malformedArguments: malformedArguments().filter(isKept),
      }),
    },
  );
}

/** Nothing and `null` are read as no arguments on every wire, so no call has them in its message. */
function isKept(written: string): boolean {
  return !["", "null"].includes(written.trim());
}

/**
 * What a model wrote as arguments that is not one JSON object: torn, another kind of value, two values, another notation.
 * Shrinks to "".
 */
export function malformedArguments(): fc.Arbitrary<string> {
  const written = jsonObject().map((value) => JSON.stringify(value));
  return fc.oneof(
    { withCrossShrink: true },
    fc.constantFrom("", "null", "[1]", '"text"', "7", "{", "{'a':1}", "{a:1}", '{"a":1,}', "```json\n{}\n```", "NaN"),
    // Without its last brace at least, so that nothing of it is a whole object.
    fc.tuple(written, fc.nat(200)).map(([json, cut]) => json.slice(0, cut % json.length).toWellFormed()),
    fc.tuple(written, written).map(([first, second]) => first + second),
    jsonValue({ maxDepth: 1 })
      .filter((value) => typeof value !== "object" || value === null || Array.isArray(value))
      .map((value) => JSON.stringify(value)),
  );
}

/**
 * Arguments as JSON.parse gives them, made to do harm: keys that reach prototypes at any depth, deep nesting, long text, and now
 * and then what is no object. Shrinks to {}.
 */
export function hostileArguments(): fc.Arbitrary<JsonValue> {
  return fc.oneof(
    { withCrossShrink: true },
    { weight: 9, arbitrary: mayBePoisoned(jsonObject(), 2) },
    { weight: 1, arbitrary: fc.integer({ min: 1, max: 200 }).map(nestedObject) },
    { weight: 1, arbitrary: fc.nat(5_000).map((length) => ({ a: "a".repeat(length) })) },
    { weight: 1, arbitrary: jsonValue() },
  );
}

/** Objects, `weight` of `weight + 1` with a key that reaches a prototype put into one of the objects in them. Shrinks to those without. */
export function mayBePoisoned(objects: fc.Arbitrary<JsonObject>, weight: number): fc.Arbitrary<JsonObject> {
  const attacks = fc.constantFrom<JsonValue[]>({ polluted: true }, { prototype: { polluted: true } });
  const value = fc.oneof({ withCrossShrink: true }, jsonValue(), { weight: 2, arbitrary: attacks });
  const poison = fc.record({ key: fc.constantFrom(...FORBIDDEN_KEYS), value, place: fc.nat(20) });
  const maybe = fc.oneof({ withCrossShrink: true }, fc.constant(undefined), { weight, arbitrary: poison });
  return fc.tuple(objects, maybe).map(([object, drawn]) => (drawn === undefined ? object : put(object, drawn)));
}

/** A copy of `object` in which one of its objects has the key; place 0 is itself. */
function put(object: JsonObject, { key, value, place }: { key: string; value: JsonValue; place: number }): JsonObject {
  const copy = structuredClone(object);
  const objects: JsonObject[] = [];
  const visit = (item: JsonValue): void => {
    if (typeof item !== "object" || item === null) return;
    if (!Array.isArray(item)) objects.push(item);
    Object.values(item).forEach(visit);
  };
  visit(copy);
  setOwn(objects[place % objects.length] as JsonObject, key, value);
  return copy;
}

function nestedObject(levels: number): JsonObject {
  let value: JsonObject = {};
  for (let level = 1; level < levels; level++) value = { a: value };
  return value;
}

/** A tool as a model is shown it, its schema from `toolSchema`. */
export function toolDefinition(): fc.Arbitrary<LlmToolDefinition> {
  return fc
    .tuple(word(), text(), toolSchema())
    .map(([name, description, { schema }]) => ({ name, description, schema }));
}
