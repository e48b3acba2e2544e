import { describe, expect, it } from "vitest";
import { MAX_ARGUMENT_DEPTH } from "../../../src/core/limits.js";
import { createArgumentCheck, createValueMatch, scrubArguments } from "../../../src/core/tools/argument-check.js";
import { ToolArgError } from "../../../src/core/errors.js";
import type { JsonObject } from "../../../src/core/canon/value.js";
import { refusal } from "../../support/refusal.js";
import { deepObject } from "../../support/script.js";
import { hasShared, readShared } from "../../support/shared.js";

const anything = createArgumentCheck("any", {});

describe("scrubArguments", () => {
  it("PLK-56 strips __proto__, constructor and prototype", () => {
    const args = JSON.parse('{"__proto__":{"admin":true},"constructor":1,"prototype":2,"kept":3}') as JsonObject;
    const clean = scrubArguments(args);
    expect(Object.keys(clean)).toEqual(["kept"]);
    expect((clean as { admin?: boolean }).admin).toBeUndefined();
  });

  it("PLK-64 strips them at every depth, in arrays as well", () => {
    const args = JSON.parse('{"a":[{"b":{"constructor":{"x":1},"c":[[{"__proto__":{}}]]}}]}') as JsonObject;
    expect(JSON.stringify(scrubArguments(args))).toBe('{"a":[{"b":{"c":[[{}]]}}]}');
  });

  it("leaves the caller's object as it was", () => {
    const args = { a: { prototype: 1 } };
    scrubArguments(args);
    expect(args).toEqual({ a: { prototype: 1 } });
  });

  it("keeps keys that only look alike", () => {
    const args = { proto: 1, Constructor: 2, "prototype ": 3, toString: 4, hasOwnProperty: 5 };
    expect(scrubArguments(args)).toEqual(args);
  });

  it("PLK-65 passes Date, Map, Set, Buffer and class instances through as they are", () => {
    class Point {
      prototype = "kept";
    }
    const args = {
      at: new Date(0),
      map: new Map(),
      set: new Set(),
      bytes: Buffer.from("x"),
      point: new Point(),
      run: () => 1,
    };
    const clean = scrubArguments({ deep: [args] }).deep[0] as typeof args;
    for (const key of Object.keys(args) as (keyof typeof args)[]) expect(clean[key]).toBe(args[key]);
  });

  it("PLK-57 counts the arguments object as the first of 64 levels", () => {
    expect(MAX_ARGUMENT_DEPTH).toBe(64);
    expect(scrubArguments(deepObject(64))).toEqual(deepObject(64));
    expect(refusal(() => scrubArguments(deepObject(65)))).toMatchObject({
      code: "tool-arguments",
      field: "/a".repeat(64),
    });
  });

  it("PLK-57 refuses 100,000 levels and a cycle without running out of stack", () => {
    const cycle: Record<string, unknown> = {};
    cycle["me"] = [cycle];
    expect(refusal(() => scrubArguments(deepObject(100_000)))).toBeInstanceOf(ToolArgError);
    expect(refusal(() => scrubArguments(cycle))).toBeInstanceOf(ToolArgError);
  });

  it("drops deep nesting that lies under a forbidden key before it counts", () => {
    const args = JSON.parse(`{"__proto__":${"[".repeat(500)}${"]".repeat(500)}}`) as JsonObject;
    expect(scrubArguments(args)).toEqual({});
  });
});

describe("createArgumentCheck", () => {
  const check = createArgumentCheck("send", {
    type: "object",
    properties: {
      to: { type: "string" },
      "100%/~": { type: "integer" },
      list: { type: "array", items: { type: "object", properties: { n: { type: "number" } } } },
    },
    required: ["to"],
    additionalProperties: false,
  });

  it("returns a scrubbed copy of arguments that match", () => {
    const args = JSON.parse('{"to":"x","list":[{"n":1,"__proto__":{}}]}') as JsonObject;
    const clean = check(args);
    expect(clean).not.toBe(args);
    expect(JSON.stringify(clean)).toBe('{"to":"x","list":[{"n":1}]}');
  });

  it("PLK-67 names the tool and the field that was refused", () => {
    expect(refusal(() => check({ to: 1 }))).toMatchObject({ tool: "send", field: "/to", code: "tool-arguments" });
    expect(refusal(() => check({ to: "x", list: [{ n: 1 }, { n: "2" }] }))).toMatchObject({ field: "/list/1/n" });
    expect(refusal(() => check({ to: "x", extra: 1 }))).toMatchObject({ field: "/extra" });
    expect(refusal(() => check({}))).toMatchObject({ field: "" });
  });

  it("writes the field as an RFC 6901 pointer, the percent sign unescaped", () => {
    expect(refusal(() => check({ to: "x", "100%/~": "no" }))).toMatchObject({ field: "/100%~1~0" });
  });

  it.each<[name: string, args: unknown]>([
    ["null", null],
    ["undefined", undefined],
    ["a number", 1],
    ["a string", "text"],
    ["an empty array", []],
    ["an array of objects", [{}]],
    ["a Date", new Date(0)],
    ["a Map", new Map()],
    ["a function", () => ({})],
  ])("refuses %s in place of an object", (_name, args) => {
    expect(refusal(() => anything(args))).toMatchObject({ name: "ToolArgError", tool: "any", field: "" });
  });

  it("PLK-66 refuses an object whose toString would give the wanted text", () => {
    const action = createArgumentCheck("act", { type: "object", properties: { action: { type: "string" } } });
    expect(refusal(() => action({ action: { toString: () => "delete" } }))).toMatchObject({ field: "/action" });
    expect(refusal(() => action({ action: Object("delete") as unknown }))).toMatchObject({ field: "/action" });
    expect(refusal(() => action({ action: ["delete"] }))).toMatchObject({ field: "/action" });
  });

  it("turns a getter that throws into ToolArgError, whatever it throws", () => {
    for (const thrown of [new Error("boom"), null, Object.create(null), Symbol("s")] as unknown[]) {
      const args = {
        get trap(): unknown {
          throw thrown;
        },
      };
      expect(refusal(() => anything(args))).toBeInstanceOf(ToolArgError);
    }
  });

  it("turns a value the validator cannot judge into ToolArgError", () => {
    const typed = createArgumentCheck("t", { properties: { a: { type: "string" } } });
    expect(refusal(() => typed({ a: 1n }))).toBeInstanceOf(ToolArgError);
    expect(refusal(() => typed({ a: () => 1 }))).toBeInstanceOf(ToolArgError);
    expect(refusal(() => createArgumentCheck("t", { additionalProperties: false })({ "\ud800": 1 }))).toBeInstanceOf(
      ToolArgError,
    );
  });

  it("reads the schema once: a later change of it changes nothing", () => {
    const schema: JsonObject = { type: "object", required: ["a"] };
    const own = createArgumentCheck("t", schema);
    schema["required"] = [];
    expect(refusal(() => own({}))).toBeInstanceOf(ToolArgError);
  });

  it("leaves the schema it was given as it was, and takes a frozen one", () => {
    const schema = Object.freeze({ $defs: { n: { type: "number" } }, properties: { a: { $ref: "#/$defs/n" } } });
    const before = JSON.stringify(schema);
    createArgumentCheck("t", schema)({ a: 1 });
    expect(JSON.stringify(schema)).toBe(before);
  });

  it("takes the draft from $schema", () => {
    const beside = { $defs: { s: { type: "string" } }, properties: { a: { $ref: "#/$defs/s", maxLength: 1 } } };
    const declared = { $schema: "http://json-schema.org/draft-07/schema#", ...beside };
    expect(createArgumentCheck("t", declared)({ a: "xy" })).toEqual({ a: "xy" });
    expect(refusal(() => createArgumentCheck("t", beside)({ a: "xy" }))).toMatchObject({ field: "/a" });
    const list = { properties: { a: { items: [{ type: "string" }], additionalItems: false } } };
    const draft7 = createArgumentCheck("t", { $schema: "http://json-schema.org/draft-07/schema#", ...list });
    expect(refusal(() => draft7({ a: ["x", "y"] }))).toBeInstanceOf(ToolArgError);
    const newer = createArgumentCheck("t", { properties: { a: { prefixItems: [{ type: "string" }], items: false } } });
    expect(refusal(() => newer({ a: ["x", "y"] }))).toBeInstanceOf(ToolArgError);
    expect(newer({ a: ["x"] })).toEqual({ a: ["x"] });
  });

  it.each([
    ["a schema that is not an object", "text" as unknown as JsonObject],
    ["a list", [] as unknown as JsonObject],
    ["a $ref that leads nowhere", { properties: { a: { $ref: "#/$defs/missing" } } }],
    ["a $ref to another machine", { $ref: "https://example.test/schema.json" }],
    ["two schemas with one $id", { $defs: { a: { $id: "https://x.test/1" }, b: { $id: "https://x.test/1" } } }],
    ["a schema that holds a function", { default: (() => 1) as unknown as string }],
  ])("refuses %s when it is built", (_name, schema) => {
    expect(refusal(() => createArgumentCheck("bad", schema))).toMatchObject({
      code: "invalid-options",
      message: expect.stringContaining("tool bad") as string,
    });
  });
});

describe.skipIf(!hasShared)("naughty strings", () => {
  const strings = hasShared ? (JSON.parse(readShared("data/hostile/blns.json")) as string[]) : [];
  const typed = createArgumentCheck("t", { type: "object", additionalProperties: { type: "string" } });

  it("all 515 pass unchanged as values", () => {
    expect(strings).toHaveLength(515);
    for (const text of strings) expect(typed({ text })).toEqual({ text });
  });

  it("all 515 pass unchanged as keys, and a refusal points at the key", () => {
    for (const text of strings) {
      expect(typed({ [text]: "x" })).toEqual({ [text]: "x" });
      const pointer = `/${text.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      expect(refusal(() => typed({ [text]: 1 }))).toMatchObject({ tool: "t", field: pointer });
    }
  });
});

describe("createValueMatch", () => {
  it.each<[unknown, object, string]>([
    [3, { type: "number" }, "match"],
    [null, { type: "null" }, "match"],
    [["a"], { items: { type: "string" } }, "match"],
    ["3", { type: "number" }, "mismatch"],
    [JSON.parse('{"__proto__": 1}'), { type: "object", additionalProperties: false }, "mismatch"],
    [JSON.parse('{"constructor": 1}'), { type: "object", additionalProperties: false }, "mismatch"],
    [deepObject(70), {}, "unchecked"],
    ["x".repeat(1024 * 1024 + 1), {}, "unchecked"],
  ])("judges %# as a whole, with nothing dropped from it", (value, schema, kind) => {
    const match = createValueMatch("the contract", schema as JsonObject)(value);
    expect(match.kind).toBe(kind);
  });

  it("names the place of a mismatch, and refuses a schema that cannot be used", () => {
    const match = createValueMatch("the contract", { properties: { a: { items: { type: "number" } } } });
    expect(match({ a: [1, "2"] })).toMatchObject({ kind: "mismatch", pointer: "/a/1" });
    expect(() => createValueMatch("the contract", { $ref: "#/gone" })).toThrow(
      expect.objectContaining({ code: "invalid-options" }),
    );
  });
});
