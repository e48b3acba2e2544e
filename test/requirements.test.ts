// docs/internal/requirements.md says how each requirement is proven; here it is held to that.

import { existsSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { findUntrueRows, idsInTestNames, idsInTests, parseRequirements } from "./support/requirements.js";

const root = fileURLToPath(new URL("../", import.meta.url));
const range = (from: number, to: number, prefix = "PLK") =>
  Array.from({ length: to - from + 1 }, (_, index) => `${prefix}-${String(from + index).padStart(2, "0")}`);

describe("the table of requirements", () => {
  it("says of each requirement what is so", () => {
    const rows = parseRequirements(readFileSync(`${root}docs/internal/requirements.md`, "utf8"));
    const carried = idsInTests(`${root}test`);
    const hasFile = (path: string) => existsSync(`${root}${path}`);
    const expected = [
      ...range(1, 137),
      ...range(1, 41, "CRB"),
      ...range(1, 85, "REL"),
      ...range(1, 148, "PSS"),
      ...range(1, 158, "PLM"),
    ];
    expect(findUntrueRows(rows, expected, carried, hasFile)).toEqual([]);
  });
});

describe("the ids of tests", () => {
  it.each([
    ["it", 'it("PLK-28 refuses", () => {});'],
    ["test", 'test("PLK-28 refuses", () => {});'],
    ["describe", "describe('PLK-28', () => {});"],
    ["it.each", 'it.each([1, 2])("PLK-28 takes %i", () => {});'],
    ["a chain", 'describe.skipIf(!x).each([["a"]])("PLK-28: %s", () => {});'],
    ["a tagged table", 'it.each`a\n${1}`("PLK-28 $a", () => {});'],
    ["a template", "it(`PLK-28 takes ${name}`, () => {});"],
    ["the end of a template", "it(`${name} proves PLK-28`, () => {});"],
    ["a nested call", 'describe("a", () => { it("b PLK-28", () => {}); });'],
  ])("are read from %s", (_name, text) => {
    expect(idsInTestNames(text)).toEqual(["PLK-28"]);
  });

  it("are read once each where a name carries several, and no range is expanded", () => {
    expect(idsInTestNames('it("PLK-02 PLK-03 PLK-110 to 112 gives", () => {});')).toEqual([
      "PLK-02",
      "PLK-03",
      "PLK-110",
    ]);
  });

  it.each([
    "// it('PLK-28')",
    'const text = "PLK-28";',
    'expect("PLK-28").toBe(1);',
    'it(name, () => expect("PLK-28"));',
    'it("APLK-28", () => {});',
  ])("are not read from %s", (text) => {
    expect(idsInTestNames(text)).toEqual([]);
  });
});

describe("a table that is wrong", () => {
  const rows = (...proofs: string[]) =>
    parseRequirements(proofs.map((proof, index) => `| PLK-0${index + 1} | words | ${proof} |`).join("\n"));
  const untrue = (table: ReturnType<typeof rows>, carried: string[] = [], expected = range(1, table.length)) =>
    findUntrueRows(table, expected, new Set(carried), (path) => path === "docs/there.md");
  const [first, second] = range(1, 2) as [string, string];

  it("is read row by row, its header left out", () => {
    expect(
      parseRequirements(`| id | requirement | proof |\n| --- | --- | --- |\n| ${first} | words | tests |\n`),
    ).toEqual([{ id: first, proof: "tests" }]);
  });

  it("is not found wrong when it is right", () => {
    expect(untrue(rows("tests", "open", "docs (docs/there.md)"), [first])).toEqual([]);
  });

  it.each<[string, string[], string]>([
    ["tests where no test carries it", untrue(rows("tests")), `${first} says tests, and no test carries it`],
    ["open where a test carries it", untrue(rows("open"), [first]), `${first} says open, and a test carries it`],
    ["a missing id", untrue(rows("open"), [], range(1, 2)), `${second} is missing`],
    ["an id twice", untrue([...rows("open"), ...rows("open")], [], [first]), `${first} is there twice`],
    ["an unknown id", untrue(rows("open"), [second]), `${second} is carried by a test and not in the table`],
    ["docs without a file", untrue(rows("docs")), `${first} has the proof "docs"`],
    ["docs that are gone", untrue(rows("docs (docs/gone.md)")), `${first} names docs/gone.md, which does not exist`],
    ["another word", untrue(rows("done")), `${first} has the proof "done"`],
  ])("is found to have %s", (_name, found, message) => {
    expect(found).toEqual([message]);
  });
});
