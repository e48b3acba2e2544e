import { describe, expect, it } from "vitest";
import { CassetteError } from "../../../src/cassette/errors.js";
import { parseFilters } from "../../../src/cassette/prompt/filter-file.js";
import { refusal } from "../../support/refusal.js";

describe("a filter file", () => {
  it("is a list of names and patterns", () => {
    const filters = ["date", "number-in:ms", { name: "build", pattern: "build \\d+", replace: "build N" }];
    expect(parseFilters(JSON.stringify({ $schema: "x", filters }))).toEqual(filters);
  });

  it.each<[unknown, string, string]>([
    [[], "", "must be an object"],
    [{ filter: [] }, "/filter", "unknown field"],
    [{}, "/filters", "must be a list of 1 to 100 filters"],
    [{ filters: [] }, "/filters", "must be a list of 1 to 100 filters"],
    [{ filters: ["date", "dates"] }, "/filters/1", '"dates", which is not a filter'],
    [{ filters: ["custom"] }, "/filters/0", '"custom", which is not a filter'],
    [{ filters: ["number-in:"] }, "/filters/0", "which is not a filter"],
    [{ filters: ["number-in:a(b"] }, "/filters/0", "which is not a filter"],
    [{ filters: ["date", "date"] }, "/filters/1", "names date, which is already in the list"],
    [{ filters: [7] }, "/filters/0", "7, which is not a filter"],
    [{ filters: [{ name: "b", pattern: "x", flags: "i" }] }, "/filters/0/flags", "unknown field"],
    [{ filters: [{ name: "b b", pattern: "x" }] }, "/filters/0/name", "not a word"],
    [{ filters: [{ name: "date", pattern: "x" }] }, "/filters/0/name", "already taken"],
    [{ filters: [{ name: "b" }] }, "/filters/0/pattern", "1 to 256 characters"],
    [{ filters: [{ name: "b", pattern: "(a)\\1" }] }, "/filters/0/pattern", "a back reference"],
    [{ filters: [{ name: "b", pattern: "(" }] }, "/filters/0/pattern", "cannot be used"],
    [{ filters: [{ name: "b", pattern: "x", replace: 1 }] }, "/filters/0/replace", "not a text"],
    [{ filters: [{ name: "b", pattern: "x", replace: "xx" }] }, "/filters/0/replace", "its own replacement"],
  ])("%j is refused at %s", (value, pointer, words) => {
    const error = refusal(() => parseFilters(JSON.stringify(value), "f.json")) as CassetteError;
    expect([error.code, error.pointer, error.file]).toEqual(["invalid-options", pointer, "f.json"]);
    expect(error.summary).toContain(words);
    expect(error.hint).toContain("uuid, isoDate, date");
  });

  it.each(["{", '{"filters":["date"],"filters":["path"]}'])("%s is not strict JSON", (text) => {
    const { code, hint } = refusal(() => parseFilters(text)) as CassetteError;
    expect([code, hint]).toEqual(["invalid-options", expect.stringContaining('A filter file is { "filters": [')]);
  });
});
