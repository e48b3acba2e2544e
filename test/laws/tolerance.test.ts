// Laws of tolerances: they make an equality that is found by normal form, and they agree with their published schema. A failing
// law prints its seed and path.

import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { canonicalize, type JsonObject, type JsonValue } from "../../src/core/index.js";
import { parseIgnore } from "../../src/cassette/diff/ignore.js";
import { checkTolerances, type Tolerances } from "../../src/cassette/index.js";

const KEYS = ["a", "b", "0", "~/"];

/** Values that are apart by little, so that tolerances have something to do. */
const leaf: fc.Arbitrary<JsonValue> = fc.constantFrom<JsonValue[]>(
  ...["", " x", "X", "x", "ab", "AB", "Yes", "y", "/^[A-Z]+$/", "2026-03-04", "2026-03-04T10:00Z"],
  ...["2026-03-04t11:00:00.500+01:00", "2026-03-04T10:00:00.5Z", "2026-02-30", "2026-03-04T10:00:00"],
  ...["00000000-0000-0000-0000-000000000000", "123E4567-e89b-12d3-a456-426614174000"],
  ...[0, 1, 1.05, 1.1, 100, 104, true, null],
);

const { value: anyValue } = fc.letrec<{ value: JsonValue }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    leaf,
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...KEYS), tie("value"), { maxKeys: 3 }) as fc.Arbitrary<JsonValue>,
  ),
}));

/** Two values, equal in most places, so that tolerances decide. */
type Pair = readonly [JsonValue, JsonValue];
const { pair } = fc.letrec<{ pair: Pair }>((tie) => ({
  pair: fc.oneof(
    { maxDepth: 3, depthSize: "small" },
    fc.tuple(leaf, leaf),
    leaf.map((value): Pair => [value, value]),
    anyValue.map((value): Pair => [value, value]),
    fc.tuple(fc.array(tie("pair"), { maxLength: 3 }), fc.boolean()).map(([pairs, isTurned]): Pair => {
      const now = pairs.map(([, b]) => b);
      return [pairs.map(([a]) => a), isTurned ? now.reverse() : now];
    }),
    pairedObjects(tie("pair")),
  ),
}));

function pairedObjects(inner: fc.Arbitrary<Pair>): fc.Arbitrary<readonly [JsonObject, JsonObject]> {
  const sides = fc.constantFrom("both", "both", "both", "old", "new");
  return fc.dictionary(fc.constantFrom(...KEYS), fc.tuple(inner, sides), { minKeys: 1, maxKeys: 2 }).map((pairs) => {
    const [old, now]: [JsonObject, JsonObject] = [{}, {}];
    for (const [key, [[a, b], side]] of Object.entries(pairs)) {
      if (side !== "new") old[key] = a;
      if (side !== "old") now[key] = b;
    }
    return [old, now];
  });
}
const anyPair = pairedObjects(pair);

const word = fc.constantFrom("ignore", "trim", "case", "uuid", "set");
const exact: fc.Arbitrary<JsonValue> = fc.oneof(
  word,
  fc.constantFrom("any", "instant", "day").map((isoDate) => ({ isoDate })),
  fc.constantFrom("^[A-Z]+$", "x", "^/").map((regex) => ({ regex })),
  fc.constantFrom<JsonValue[]>({ oneOf: ["Yes", "y", 1] }, { oneOf: [" x", "ab", null] }),
  anyValue.map((value) => ({ default: value })),
);
const entry = fc.oneof(
  { weight: 4, arbitrary: exact },
  fc.constantFrom<JsonValue[]>({ numeric: { absolute: 0.06 } }, { numeric: { relative: 0.05 } }, "ignoreExtra"),
);
const places = fc.constantFrom(
  "",
  "/a",
  "/b",
  "/*",
  "/a/b",
  "/a/*",
  "/*/a",
  "/a/0",
  "/~0~1",
  "/b/*/a",
  "/*/*",
  "/**",
  "/b/**",
  "/**/a",
);
/** Tolerances of the tool "f" that can be used; what is refused is not worth a run. */
function tolerancesOf(kinds: fc.Arbitrary<JsonValue>): fc.Arbitrary<Tolerances> {
  const entries = fc.oneof(kinds, fc.array(kinds, { minLength: 1, maxLength: 3 }));
  const placesOf = (minKeys: number) => fc.dictionary(places, entries, { minKeys, maxKeys: 6 });
  const tools = fc.record({ f: placesOf(2), "*": placesOf(0) }, { requiredKeys: ["f"] });
  return tools.map((made) => tryCheck({ version: 1, tools: made })).filter((made) => made !== undefined);
}

function tryCheck(value: unknown): Tolerances | undefined {
  try {
    return checkTolerances(value);
  } catch {
    return undefined;
  }
}

const runs = { numRuns: 1000 };

describe("tolerances", () => {
  test("are reflexive and symmetric, and alike exactly where nothing is listed", () => {
    fc.assert(
      fc.property(tolerancesOf(entry), anyPair, (tolerances, [a, b]) => {
        expect(tolerances.alike("f", a, structuredClone(a))).toBe(true);
        expect(tolerances.compare("f", a, structuredClone(a))).toEqual({ changes: [], uses: [] });
        const alike = tolerances.alike("f", a, b);
        expect(tolerances.alike("f", b, a)).toBe(alike);
        const { changes, uses } = tolerances.compare("f", a, b);
        expect(changes.length === 0).toBe(alike);
        const mirrored = tolerances.compare("f", b, a);
        expect(mirrored.changes.length === 0).toBe(alike);
        expect(mirrored.uses).toEqual(uses);
        if (alike && canonicalize(a) !== canonicalize(b)) expect(uses).not.toEqual([]);
      }),
      runs,
    );
  });

  test("have a normal form that is its own, and equal ones are alike; what is alike has one skeleton", () => {
    fc.assert(
      fc.property(tolerancesOf(entry), anyPair, (tolerances, [a, b]) => {
        const [one, other] = [tolerances.normalise("f", a), tolerances.normalise("f", b)];
        expect(tolerances.normalise("f", one.value)).toEqual(one);
        expect(tolerances.alike("f", a, one.value)).toBe(true);
        if (one.key === other.key) expect(tolerances.alike("f", a, b)).toBe(true);
        if (tolerances.alike("f", a, b)) expect(one.skeleton).toBe(other.skeleton);
      }),
      runs,
    );
  });

  test("that are neither numeric nor ignoreExtra are transitive: alike is the equality of keys", () => {
    fc.assert(
      fc.property(tolerancesOf(exact), anyPair, (tolerances, [a, b]) => {
        const [one, other] = [tolerances.normalise("f", a), tolerances.normalise("f", b)];
        expect(tolerances.alike("f", a, b)).toBe(one.key === other.key);
        expect(one.skeleton).toBe(one.key);
      }),
      runs,
    );
  });

  test("of no kind are canonical equality", () => {
    fc.assert(
      fc.property(anyPair, ([a, b]) => {
        const tolerances = checkTolerances({ version: 1, tools: { other: { "/a": "ignore" } } });
        expect(tolerances.alike("f", a, b)).toBe(canonicalize(a) === canonicalize(b));
      }),
      runs,
    );
  });

  test("of the kind ignore are what --ignore is", () => {
    const pointers = fc.array(
      fc.tuple(
        fc.constantFrom("f", "*"),
        places.filter((place) => place !== ""),
      ),
      { maxLength: 4 },
    );
    fc.assert(
      fc.property(pointers, anyPair, (list, [a, b]) => {
        const tools: Record<string, Record<string, string>> = {};
        for (const [tool, pointer] of list) (tools[tool] ??= {})[pointer] = "ignore";
        const tolerances = checkTolerances({ version: 1, tools });
        const ignored = parseIgnore(list.map(([tool, pointer]) => (tool === "*" ? pointer : `${tool}:${pointer}`)));
        const [pruned, other] = [ignored.prune("f", a), ignored.prune("f", b)];
        expect(tolerances.normalise("f", a).value).toEqual(pruned);
        expect(tolerances.alike("f", a, b)).toBe(canonicalize(pruned) === canonicalize(other));
      }),
      runs,
    );
  });
});
