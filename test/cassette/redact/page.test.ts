// docs/redaction.md lists every rule, the names of variables and the ready-made filters: its tables say what the code does.

import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { CassetteError } from "../../../src/cassette/errors.js";
import { readHashFilter, type HashFilterName } from "../../../src/cassette/prompt/hash-filters.js";
import { secretsOf } from "../../../src/cassette/redact/environment.js";
import { createFinder } from "../../../src/cassette/redact/detect/find.js";
import { KNOWN_RULES } from "../../../src/cassette/redact/detect/secret-rules.js";

const read = (path: string): string => readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
const page = read("docs/redaction.md");
const find = createFinder(KNOWN_RULES);

/** The rows below the header that begins with these cells. */
function table(...header: string[]): string[][] {
  const lines = page.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${header.join(" | ")} |`));
  expect(start, `a table of ${header.join(", ")}`).toBeGreaterThan(0);
  const end = lines.findIndex((line, index) => index > start && !line.startsWith("|"));
  return lines.slice(start + 2, end === -1 ? undefined : end).map((line) => line.slice(2, -2).split(" | "));
}

/** What a cell shows as code. */
function codes(cell = ""): string[] {
  return Array.from(cell.matchAll(/`([^`]+)`/g), ([, code = ""]) => code);
}

/** Texts in quotation marks, some repeated, joined with +: no more JavaScript than that. */
function evaluate(expression: string): string {
  const parts = expression.split(" + ").map((part) => /^"([^"\\]*)"(?:\.repeat\(([0-9]{1,2})\))?$/.exec(part));
  return parts
    .map((part) => {
      if (part === null) throw new Error(`${expression} is no list of texts`);
      return (part[1] ?? "").repeat(Number(part[2] ?? 1));
    })
    .join("");
}

describe("the table of rules", () => {
  const rows = table("rule", "finds", "example");

  it("has every rule once, in their order and with their words", () => {
    expect(rows.map(([id, finds]) => [codes(id)[0], finds])).toEqual(KNOWN_RULES.map((r) => [r.id, r.description]));
  });

  it.each(rows.map(([id, , example]) => [codes(id)[0], codes(example)[0] ?? ""] as const))(
    "%s finds its example",
    (id, example) => {
      expect(find(evaluate(example)).map(({ rule }) => rule)).toEqual([id]);
    },
  );

  it("is on a page that holds no secret", () => {
    expect(find(page)).toEqual([]);
  });
});

describe("the table of variables", () => {
  const rows = table("variables", "examples");
  const [words = [], later = [], ends = [], left = [], values = []] = rows.map(([, cell]) => codes(cell));
  const taken = [...words, ...later, ...ends];
  const value = "a1b2c3d4";
  const isTaken = (name: string): boolean => secretsOf({ [name]: value }).length === 1;

  it("has a row for each kind", () => {
    expect(rows.map(([what]) => what?.split(":")[0])).toEqual([
      "taken",
      "taken",
      "taken",
      "not taken",
      "values never taken",
    ]);
  });

  it.each(taken)("%s is taken, in any case of letters", (name) => {
    expect([name, name.toLowerCase(), name.toUpperCase()].filter(isTaken)).toHaveLength(3);
  });

  it.each(left)("%s is not taken", (name) => {
    expect(isTaken(name)).toBe(false);
  });

  it.each(values)("the value %s is not taken", (text) => {
    expect(secretsOf({ API_KEY: text })).toEqual([]);
  });

  it("shows every word that the code looks for", () => {
    const source = /SECRET_NAME =\s*\/(.*)\/i;/.exec(read("src/cassette/redact/environment.ts"))?.[1] ?? "";
    const wanted = [...new Set(source.replaceAll("S?", "").match(/[A-Z]{3,}/g))];
    expect(wanted.length).toBeGreaterThan(5);
    const shown = taken.join(" ").toUpperCase();
    expect(wanted.filter((word) => !new RegExp(`${word}S?(?![A-Z])|${word}KEY`).test(shown))).toEqual([]);
  });
});

describe("the table of filters", () => {
  const rows = table("filter", "becomes", "in these texts", "not in these");
  const apply = (name: string, text: string): unknown =>
    readHashFilter([name as HashFilterName]).filter?.([{ role: "user", content: text }])[0]?.content;
  const cases = (column: number) =>
    rows.flatMap(([name, becomes, ...cells]) =>
      codes(cells[column]).map((text) => [codes(name)[0] ?? "", text, codes(becomes)[0] ?? ""] as const),
    );

  it("has every filter once", () => {
    let hint = "";
    try {
      readHashFilter(["none" as HashFilterName]);
    } catch (error) {
      hint = (error as CassetteError).hint ?? "";
    }
    expect(hint).toContain(`functions and of ${rows.map(([name]) => codes(name)[0]).join(", ")}.`);
  });

  it.each(cases(0))("%s takes %s", (name, text, becomes) => {
    const part = name === "sessionId" ? "a1" : text;
    expect(apply(name, text)).toBe(text.replace(part, becomes));
  });

  it.each(cases(1))("%s leaves %s", (name, text) => {
    expect(apply(name, text)).toBe(text);
  });
});
