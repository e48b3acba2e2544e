import { describe, expect, it } from "vitest";
import { checkTolerances, type Tolerances } from "../../../src/cassette/index.js";
import type { JsonObject, JsonValue } from "../../../src/core/index.js";

/** Tolerances of the tool "f". */
function only(places: Record<string, unknown>): Tolerances {
  return checkTolerances({ version: 1, tools: { f: places } });
}

/** Whether two values of `/a` are alike under a tolerance there. */
function alike(entry: unknown, a: JsonValue, b: JsonValue): boolean {
  return only({ "/a": entry }).alike("f", { a }, { a: b });
}

describe("a tolerance of one value", () => {
  it("trim and case change what counts of a text, and of nothing else", () => {
    expect(alike("trim", " Oslo\n", "Oslo")).toBe(true);
    expect(alike("trim", "Os lo", "Oslo")).toBe(false);
    expect(alike("case", "OSLO", "oslo")).toBe(true);
    expect(alike(["case", "trim"], " OSLO", "oslo ")).toBe(true);
    expect(alike("case", "TRUE", true)).toBe(false);
  });

  it("numeric allows an amount, or a share of the larger value", () => {
    expect(alike({ numeric: { absolute: 0.5 } }, 1, 1.5)).toBe(true);
    expect(alike({ numeric: { absolute: 0.5 } }, 1, 1.51)).toBe(false);
    expect(alike({ numeric: { relative: 0.1 } }, 100, 90)).toBe(true);
    expect(alike({ numeric: { relative: 0.1 } }, -100, -89)).toBe(false);
    expect(alike({ numeric: { absolute: 1, relative: 0.1 } }, 1, 2)).toBe(true);
    expect(alike({ numeric: { absolute: 1 } }, "1", 1)).toBe(false);
  });

  it("numeric is not transitive, so it decides pair by pair under one skeleton", () => {
    const tolerances = only({ "/a": { numeric: { absolute: 1 } } });
    const [one, two, three] = [{ a: 1 }, { a: 2 }, { a: 3 }] as const;
    expect([tolerances.alike("f", one, two), tolerances.alike("f", two, three)]).toEqual([true, true]);
    expect(tolerances.alike("f", one, three)).toBe(false);
    expect(tolerances.normalise("f", one).skeleton).toBe(tolerances.normalise("f", three).skeleton);
    expect(tolerances.normalise("f", one).key).toBe('f({"a":1})');
  });

  it("isoDate any, instant and day say which dates are equal", () => {
    const [noon, same, later] = ["2026-03-04T12:00:00Z", "2026-03-04t13:00:00.000+01:00", "2026-03-04T23:30:00-05:00"];
    expect(alike({ isoDate: "any" }, noon, "1999-12-31")).toBe(true);
    expect(alike({ isoDate: "any" }, noon, "2026-02-30")).toBe(false);
    expect(alike({ isoDate: "instant" }, noon, same)).toBe(true);
    expect(alike({ isoDate: "instant" }, noon, later)).toBe(false);
    expect(alike({ isoDate: "day" }, noon, later)).toBe(true);
    expect(alike({ isoDate: "day" }, noon, "2026-03-04")).toBe(true);
    expect(alike({ isoDate: "day" }, later, "2026-03-05T04:30:00Z")).toBe(false);
  });

  it("isoDate instant keeps a date without a time, and a time without an offset, apart from a moment", () => {
    expect(alike({ isoDate: "instant" }, "2026-03-04", "2026-03-04T00:00:00Z")).toBe(false);
    expect(alike({ isoDate: "instant" }, "2026-03-04T10:00", "2026-03-04 10:00:00.0")).toBe(true);
    expect(alike({ isoDate: "instant" }, "2026-03-04T10:00", "2026-03-04T10:00Z")).toBe(false);
    expect(alike({ isoDate: "instant" }, "0000-01-01T00:00+01:00", "0000-01-01T00:30+01:30")).toBe(false);
    expect(alike({ isoDate: "instant" }, "2026-03-04T10:00:00.123456789Z", "2026-03-04T10:00:00.123Z")).toBe(false);
    for (const flawed of ["2026-03-04T25:00Z", "2026-03-04T10:00+24:00", "2026-3-4", "2026-03-04T10Z"]) {
      expect(alike({ isoDate: "any" }, flawed, "2026-03-04")).toBe(false);
    }
  });

  it("uuid, regex and oneOf make what they accept one value", () => {
    expect(alike("uuid", "123e4567-e89b-12d3-a456-426614174000", "00000000-0000-0000-0000-000000000000")).toBe(true);
    expect(alike("uuid", "123e4567-e89b-12d3-a456-426614174000", "123e4567e89b12d3a456426614174000")).toBe(false);
    expect(alike({ regex: "^ORD-[0-9]+$" }, "ORD-1", "ORD-22")).toBe(true);
    expect(alike({ regex: "^ORD-[0-9]+$" }, "ORD-1", "ORD-x")).toBe(false);
    expect(alike({ oneOf: ["C", "celsius", null] }, "C", null)).toBe(true);
    expect(alike({ oneOf: ["C", "celsius"] }, "C", "F")).toBe(false);
    expect(alike([{ oneOf: ["C", "celsius"] }, "case"], "CELSIUS", "c")).toBe(true);
  });
});

describe("a tolerance of a list or an object", () => {
  it("set compares as often as an element occurs, whatever the order", () => {
    expect(alike("set", [1, 2, 2], [2, 1, 2])).toBe(true);
    expect(alike("set", [1, 2, 2], [1, 1, 2])).toBe(false);
    const nested = only({ "/a": "set", "/a/*/id": "ignore", "/a/*/name": "case" });
    const people = [
      { id: 1, name: "Ann" },
      { id: 2, name: "Bo" },
    ];
    expect(nested.alike("f", { a: people }, { a: [{ id: 9, name: "bo" }, { name: "ANN" }] })).toBe(true);
  });

  it("default at * makes every absent key equal to its value, and leaves lists alone", () => {
    const tolerances = only({
      "/*": { default: null },
      "/named": { default: 1 },
      "/in/*": [{ default: 5 }, { numeric: { absolute: 1 } }],
    });
    const alike = (a: JsonObject, b: JsonObject): void => {
      expect(tolerances.alike("f", a, b)).toBe(true);
      expect(tolerances.compare("f", a, b).changes).toEqual([]);
    };
    alike({ a: null, b: 1 }, { b: 1, c: null });
    alike({ named: 1 }, {});
    alike({ in: { x: 5.5 } }, { in: {} });
    expect(tolerances.normalise("f", { a: null }).key).toBe(tolerances.normalise("f", {}).key);
    expect(tolerances.compare("f", { a: null }, {}).uses).toEqual([
      { tolerance: "default null", tool: "f", pointer: "/*", times: 1 },
    ]);
    for (const [a, b] of [
      [{ a: null }, { a: 1 }],
      [{ named: null }, {}],
      [{ in: { x: 7 } }, { in: {} }],
      [{ list: [1, null] }, { list: [1] }],
    ] as [JsonObject, JsonObject][]) {
      expect(tolerances.alike("f", a, b)).toBe(false);
      expect(tolerances.compare("f", a, b).changes).toHaveLength(1);
    }
  });

  it("default at ** makes every absent key equal to its value at any depth, also in lists of objects", () => {
    const tolerances = only({ "/**": { default: null }, "/in/**/kept": { default: 1 } });
    const old = { a: null, in: { b: null, list: [{ c: null, kept: 1 }, 2] } };
    const now = { in: { list: [{}, 2] } };
    expect(tolerances.alike("f", old, now)).toBe(true);
    expect(tolerances.compare("f", old, now)).toEqual({
      changes: [],
      uses: [
        { tolerance: "default null", tool: "f", pointer: "/**", times: 3 },
        { tolerance: "default 1", tool: "f", pointer: "/in/**/kept", times: 1 },
      ],
    });
    expect(tolerances.alike("f", { in: { list: [null] } }, { in: { list: [] } })).toBe(false);
    expect(tolerances.alike("f", { in: { b: 0 } }, {})).toBe(false);
  });

  it("default makes an absent key equal to its value, and to what that is equal to", () => {
    const tolerances = only({ "/a": [{ default: "Metric" }, "case"], "/b": { default: {} }, "/b/c": { default: 1 } });
    expect(tolerances.alike("f", {}, { a: "METRIC" })).toBe(true);
    expect(tolerances.alike("f", {}, { a: "imperial" })).toBe(false);
    expect(tolerances.alike("f", {}, { b: { c: 1 } })).toBe(true);
    expect(tolerances.alike("f", { a: null }, { a: "metric" })).toBe(false);
  });

  it("ignoreExtra leaves out keys that one side has, and never one that both have", () => {
    const tolerances = only({ "": "ignoreExtra" });
    expect(tolerances.alike("f", { q: 1 }, { q: 1, page: 1 })).toBe(true);
    expect(tolerances.alike("f", { q: 1 }, { q: 2, page: 1 })).toBe(false);
    expect(tolerances.alike("f", { q: 1, in: { x: 1 } }, { q: 1, in: {} })).toBe(false);
  });

  it("ignore leaves out a place, or at the empty pointer all arguments", () => {
    expect(only({ "": "ignore" }).alike("f", { q: 1 }, {})).toBe(true);
    expect(alike("ignore", 1, { deep: true })).toBe(true);
  });

  it("holds for every tool under *, in addition to those of the tool, and for every key under a segment *", () => {
    const tolerances = checkTolerances({
      version: 1,
      tools: { "*": { "/*/id": "uuid", "/at": "ignore" }, f: { "/q": "case" } },
    });
    const id = "123e4567-e89b-12d3-a456-426614174000";
    const other = id.replaceAll("1", "2");
    expect(tolerances.alike("f", { q: "A", at: 1, x: { id } }, { q: "a", x: { id: other } })).toBe(true);
    expect(tolerances.alike("g", { q: "A" }, { q: "a" })).toBe(false);
    expect(tolerances.alike("g", { at: 1 }, { at: 2 })).toBe(true);
  });
});

describe("compare", () => {
  it("shows what was recorded at each differing place, without ignored parts", () => {
    const tolerances = only({ "/q": ["trim", "case"], "/in/at": "ignore", "/tags": "set", "/n": { default: 10 } });
    const a = { q: " Oslo", in: { at: 1, x: 1 }, tags: ["a", "b"] };
    const b = { q: " ROME ", in: [] as JsonValue[], tags: ["c", "a"], n: 20 };
    expect(tolerances.compare("f", a, b).changes).toEqual([
      { pointer: "/in", old: { x: 1 }, new: [] },
      { pointer: "/n", new: 20 },
      { pointer: "/q", old: " Oslo", new: " ROME " },
      { pointer: "/tags/1", old: "b" },
      { pointer: "/tags/0", new: "c" },
    ]);
  });

  it("counts each place that a tolerance made equal, by the pointer of the file", () => {
    const tolerances = only({
      "/q": ["trim", "case"],
      "/list/*": { numeric: { absolute: 0.1 } },
      "/tags": "set",
      "/n": { default: 10 },
    });
    const a = { q: "Oslo", list: [1, 2, 3], tags: ["a", "b"] };
    const b = { q: "OSLO", list: [1.05, 2, 3.05], tags: ["b", "a"], n: 10 };
    expect(tolerances.compare("f", a, b)).toEqual({
      changes: [],
      uses: [
        { tolerance: "numeric ±0.1", tool: "f", pointer: "/list/*", times: 2 },
        { tolerance: "default 10", tool: "f", pointer: "/n", times: 1 },
        { tolerance: "case", tool: "f", pointer: "/q", times: 1 },
        { tolerance: "set", tool: "f", pointer: "/tags", times: 1 },
      ],
    });
  });

  it("names the kinds in words", () => {
    const tolerances = only({
      "/a": { numeric: { absolute: 1, relative: 0.5 } },
      "/b": { isoDate: "day" },
      "/c": { regex: "^x" },
      "/d": { oneOf: ["a", 1] },
    });
    const { uses } = tolerances.compare(
      "f",
      { a: 1, b: "2026-03-04", c: "x1", d: "a" },
      { a: 2, b: "2026-03-04T10:00Z", c: "x2", d: 1 },
    );
    expect(uses.map(({ tolerance }) => tolerance)).toEqual([
      "numeric ±1 or ±0.5 of the value",
      "isoDate day",
      "regex /^x/",
      'oneOf ["a",1]',
    ]);
  });

  it("takes __proto__ for a key like any other", () => {
    const tolerances = only(
      JSON.parse('{"/__proto__/x":{"default":1},"/__proto__":{"default":{}}}') as object as never,
    );
    const filled = JSON.parse('{"__proto__":{"x":1}}') as JsonObject;
    expect(tolerances.alike("f", {}, filled)).toBe(true);
    expect(tolerances.normalise("f", {}).key).toBe('f({"__proto__":{"x":1}})');
  });
});
