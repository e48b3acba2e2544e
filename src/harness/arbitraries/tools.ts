// Tool calls as a model may write them: calls of a run, arguments that attack, and texts that are not arguments.

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
import { either } from "./either.js";
import { jsonObject, jsonValue } from "./json.js";
import { toolSchema } from "./schemas.js";
import { text, word } from "./text.js";

export type CallBody = Omit<LlmToolCall, "id">;

/**
 * A call as a provider gives it, sometimes with malformed arguments. `tools` are the names to call; the default is `look`, `send_mail`
 * and sometimes any text. Shrinks to a call without arguments.
 */
export function toolCall(options: { readonly tools?: readonly string[] } = {}): fc.Arbitrary<LlmToolCall> {
  assertKnownOptions("toolCall", options, ["tools"]);
  return fc.tuple(fc.nat(99), callBody(options.tools ?? [])).map(([index, body]) => ({ id: `call-${index}`, ...body }));
}

/** The same without an id; `tools` may be empty for the default names. */
export function callBody(tools: readonly string[]): fc.Arbitrary<CallBody> {
  const name = tools.length > 0 ? fc.constantFrom(...tools) : either([4, fc.constantFrom("look", "send_mail")], text());
  // Every wire reads an empty text and `null` as no arguments, so no call keeps them.
  const malformed = malformedArguments().filter((written) => !["", "null"].includes(written.trim()));
  return either<CallBody>(
    [4, fc.record({ name, arguments: jsonObject() })],
    fc.record({ name, arguments: fc.constant({}), malformedArguments: malformed }),
  );
}

/** Arguments that are not one JSON object: torn, another kind of value, two values, another notation. Shrinks to "". */
export function malformedArguments(): fc.Arbitrary<string> {
  const written = jsonObject().map((value) => JSON.stringify(value));
  return either(
    fc.constantFrom("", "null", "[1]", '"text"', "7", "{", "{'a':1}", "{a:1}", '{"a":1,}', "```json\n{}\n```", "NaN"),
    // Without its last brace at least, so that nothing of it is a whole object.
    fc.tuple(written, fc.nat(200)).map(([json, cut]) => json.slice(0, cut % json.length).toWellFormed()),
    fc.tuple(written, written).map(([first, second]) => first + second),
    jsonValue({ maxDepth: 1 })
      .filter((value) => typeof value !== "object" || value === null || Array.isArray(value))
      .map((value) => JSON.stringify(value)),
  );
}

/** Hostile arguments: keys that reach prototypes, deep nesting, long text, sometimes a value that is not an object. Shrinks to {}. */
export function hostileArguments(): fc.Arbitrary<JsonValue> {
  return either<JsonValue>(
    [9, mayBePoisoned(jsonObject(), 2)],
    fc.integer({ min: 1, max: 200 }).map(nestedObject),
    fc.nat(5_000).map((length) => ({ a: "a".repeat(length) })),
    jsonValue(),
  );
}

/** Objects, `weight` of `weight + 1` of them with a key that reaches a prototype, at any depth. Shrinks to those without. */
export function mayBePoisoned(objects: fc.Arbitrary<JsonObject>, weight: number): fc.Arbitrary<JsonObject> {
  const attacks = fc.constantFrom<JsonValue[]>({ polluted: true }, { prototype: { polluted: true } });
  const value = either(jsonValue(), [2, attacks]);
  const poison = fc.record({ key: fc.constantFrom(...FORBIDDEN_KEYS), value, place: fc.nat(20) });
  const maybe = either(fc.constant(undefined), [weight, poison]);
  return fc.tuple(objects, maybe).map(([object, drawn]) => (drawn === undefined ? object : put(object, drawn)));
}

/** A copy of `object` in which one of its objects has the key; place 0 is the object itself. */
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
