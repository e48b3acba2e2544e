import { describe, expect, it } from "vitest";
import { checkTolerances, parseTolerances, readTolerances } from "../../../src/cassette/index.js";
import { refusal, rejection } from "../../support/refusal.js";

/** The error of a document with this entry at `/a` of the tool "f". */
function refused(entry: unknown, pointer = "/a"): unknown {
  return refusal(() => checkTolerances({ version: 1, tools: { f: { [pointer]: entry } } }));
}

describe("a tolerance file", () => {
  it.each([
    ["an unknown word", "trimm", "", 'is not a tolerance: "trimm"; it must be ignore, trim'],
    ["an unknown field", { nummeric: 1 }, "", 'is not a tolerance: an object of "nummeric"'],
    ["two fields", { default: 1, regex: "x" }, "", 'is not a tolerance: an object of "default", "regex"'],
    ["an empty object", {}, "", "is not a tolerance"],
    ["an empty list", [], "", "must be a list of 1 to 16 tolerances"],
    ["a kind twice", ["trim", "trim"], "/1", "is the second trim of one place"],
    ["a number alone", { numeric: 1 }, "/numeric", "is 1; it must be an object with absolute, relative or both"],
    ["no allowance", { numeric: {} }, "/numeric", "must be an object with absolute"],
    ["an allowance of 0", { numeric: { absolute: 0 } }, "/numeric/absolute", "is 0; it must be a number above 0"],
    ["a share above 1", { numeric: { relative: 2 } }, "/numeric/relative", "must be a share of at most 1"],
    ["an unknown allowance", { numeric: { abs: 1 } }, "/numeric", 'has an unknown field: "abs"'],
    ["an unknown unit", [{ isoDate: "week" }], "/0/isoDate", 'is "week"; it must be any, instant, day'],
    ["no pattern", { regex: "" }, "/regex", 'is ""; it must be a pattern'],
    ["a broken pattern", { regex: "(" }, "/regex", "cannot be used as a pattern"],
    ["a long pattern", { regex: "x".repeat(257) }, "/regex", "more than the limit of 256 characters"],
    ["one choice", { oneOf: ["a"] }, "/oneOf", "must be a list of 2 to 100 values"],
    ["a choice twice", { oneOf: ["a", "b", "a"] }, "/oneOf/2", "is in the list twice"],
    ["a list as a choice", { oneOf: ["a", []] }, "/oneOf/1", "must be a string, number, boolean or null"],
  ])("refuses %s with its place", (_, entry, below, words) => {
    expect(refused(entry)).toMatchObject({
      code: "tolerances-malformed",
      pointer: `/tools/f/~1a${below}`,
      summary: expect.stringContaining(words),
    });
  });

  it.each([
    ["a", "ignore", "must be a JSON pointer into the arguments"],
    ["/a~2", "ignore", "must be a JSON pointer into the arguments"],
    ["/" + "x".repeat(1000), "ignore", "must be a JSON pointer into the arguments"],
    ["", "set", "cannot be set: the arguments as a whole take only"],
  ])("refuses at %j what cannot stand there", (pointer, entry, words) => {
    expect(refused(entry, pointer)).toMatchObject({ summary: expect.stringContaining(words) });
  });

  it("refuses below a set what its elements cannot have, also where * and the tool meet", () => {
    const places = { "/a": "set", "/a/*/n": { numeric: { absolute: 1 } }, "/a/0": "trim", "/a/*": "trim" };
    expect(refusal(() => checkTolerances({ version: 1, tools: { f: places } }))).toMatchObject({
      pointer: "/tools/f/~1a~1*~1n",
      summary: expect.stringMatching(/numeric cannot stand in it[^]*it has no indices, so write \* for an element/),
    });
    const tools = { "*": { "/*/*": "ignoreExtra" }, f: { "/a": "set" } };
    expect(refusal(() => checkTolerances({ version: 1, tools }))).toMatchObject({ pointer: "/tools/*/~1*~1*" });
  });

  it.each([
    [null, "", "the whole is null; it must be an object with version and tools"],
    [{ version: 1 }, "/tools", "must be an object of tools"],
    [{ tools: {} }, "/version", "is missing; it must be 1"],
    [{ version: 2, tools: {} }, "/version", "which is newer than this version of the program"],
    [{ version: "1", tools: {} }, "/version", 'is "1"; it must be 1'],
    [{ version: 1, tools: {}, tool: {} }, "/tool", "is an unknown field"],
    [{ version: 1, tools: {}, $schema: 1 }, "/$schema", "must be a string"],
    [{ version: 1, tools: { f: [] } }, "/tools/f", "must be an object of places"],
    [{ version: 1, tools: { "": {} } }, "/tools/", "must be a name of 1 to 1000 characters"],
    [{ version: 1, tools: { f: { "/a": { default: undefined, x: () => 1 } } } }, "/tools/f/~1a/x", "is not plain JSON"],
  ])("refuses %j", (document, pointer, words) => {
    expect(refusal(() => checkTolerances(document))).toMatchObject({
      code: "tolerances-malformed",
      pointer,
      summary: expect.stringContaining(words),
    });
  });

  it("says what is beyond a limit", () => {
    const many = (count: number, key: (index: number) => string, value: unknown) =>
      Object.fromEntries(Array.from({ length: count }, (_, index) => [key(index), value]));
    const tools = many(1001, (index) => `t${index}`, {});
    expect(refusal(() => checkTolerances({ version: 1, tools }))).toMatchObject({ pointer: "/tools" });
    const f = many(1001, (index) => `/${index}`, "ignore");
    expect(refusal(() => checkTolerances({ version: 1, tools: { f } }))).toMatchObject({ pointer: "/tools/f" });
    expect(refusal(() => parseTolerances(" ".repeat(1024 * 1024 + 1)))).toMatchObject({ code: "tolerances-malformed" });
  });

  it("lists all that is wrong, ten at the most", () => {
    const places = Object.fromEntries(Array.from({ length: 12 }, (_, index) => [`/${index}`, "no"]));
    const error = refusal(() => checkTolerances({ version: 1, tools: { f: places } }, { file: "t.json" })) as Error;
    expect(error.message.match(/is not a tolerance/g)).toHaveLength(10);
    expect(error.message).toContain("  - and 2 more");
    expect(error.message).toContain("t.json");
  });

  it("is read strictly from a text, and names its file", async () => {
    const twice = '{"version":1,"tools":{"f":{"/a":"trim","/a":"case"}}}';
    expect(refusal(() => parseTolerances(twice, { file: "t.json" }))).toMatchObject({
      code: "tolerances-malformed",
      file: "t.json",
    });
    const files = { read: async () => ({ kind: "not-found" as const }) };
    expect(await rejection(readTolerances(files as never, "none.json"))).toMatchObject({ code: "file-not-found" });
  });

  it("refuses a default below ** that would contain itself, and what ** can put below a set", () => {
    expect(String(refused({ default: { b: 1 } }, "/**"))).toContain("would contain itself");
    expect(() => checkTolerances({ version: 1, tools: { f: { "/**": { default: null } } } })).not.toThrow();
    const set = { "/in/tags": "set" };
    for (const [pointer, entry] of [
      ["/**", { numeric: { absolute: 1 } }],
      ["/**/0", "trim"],
    ] as const) {
      const document = { version: 1, tools: { f: { ...set, [pointer]: entry } } };
      expect(String(refusal(() => checkTolerances(document)))).toContain("lies below the set");
    }
  });
});
