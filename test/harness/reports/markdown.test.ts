import { describe, expect, it } from "vitest";
import { MAX_COMMENT_BYTES, MAX_SUMMARY_BYTES } from "../../../src/harness/limits.js";
import { codeBlock, escapeMarkdown } from "../../../src/harness/reports/markdown-text.js";
import { STICKY_MARKER, toJobSummary, markdownReport } from "../../../src/harness/reports/markdown.js";
import { gateReport, HOSTILE, richReport, scenario } from "../../support/gate-report.js";

const bytes = (text: string) => Buffer.byteLength(text, "utf8");
const many = (count: number) =>
  gateReport(Array.from({ length: count }, (_, index) => scenario(`suite/${String(index).padStart(5, "0")}`, "drift")));

describe("the Markdown report", () => {
  it("begins with the marker, then says the verdict, the table, the first divergence and the commands", () => {
    const text = markdownReport(richReport());
    const places = [
      STICKY_MARKER,
      "## ❌ Drift gate: regression (fails)",
      "| | scenario | verdict |",
      "### First divergence",
      "cassette drift cassettes/old cassettes/new",
      "cassette bless cassettes/new",
    ].map((part) => text.indexOf(part));
    expect(places[0]).toBe(0);
    expect(places).toEqual([...places].sort((a, b) => a - b));
    expect(places).not.toContain(-1);
  });

  it("lists the worst scenario first and leaves out those that are the same", () => {
    const rows = markdownReport(richReport())
      .split("\n")
      .filter((line) => /^\| \p{Extended_Pictographic}/u.test(line));
    expect(rows.map((row) => row.split(" | ")[1]?.slice(0, 9))).toEqual([
      "retail/12",
      "airline/7",
      "retail/&l",
      "banking/3",
    ]);
    expect(rows[0]).toContain("100% → 25% (p = 0.014, corrected 0.043)");
  });

  it("says of a report without drift only that", () => {
    const text = markdownReport(gateReport([scenario("a", "same")]));
    expect(text).toContain("## ✅ Drift gate: same (passes)");
    expect(text).not.toContain("### First divergence");
    expect(text).not.toContain("| | scenario |");
  });

  it("keeps every row to its cells, whatever the texts hold", () => {
    // A table is the rows without another line in between: the metrics, those of each scenario, and the scenarios.
    const tables = markdownReport(richReport())
      .split("\n")
      .map((line) => (line.startsWith("| ") ? line.replaceAll(/\\[\\|]/g, "").split("|").length : 0))
      .reduce<number[][]>((all, cells, index, list) => {
        if (cells > 0 && list[index - 1] === 0) all.push([]);
        if (cells > 0) all.at(-1)?.push(cells);
        return all;
      }, []);
    expect(tables.map((table) => new Set(table))).toEqual([new Set([7]), new Set([5]), new Set([5])]);
  });

  it("stays below the limits of a comment and of a summary, and says what was cut", () => {
    const text = markdownReport(many(5_000));
    expect(bytes(text)).toBeLessThanOrEqual(MAX_COMMENT_BYTES);
    expect(bytes(text)).toBeGreaterThan(0.9 * MAX_COMMENT_BYTES);
    const rows = text.split("\n").filter((line) => line.startsWith("| ⚠️")).length;
    expect(text).toContain(
      `… and ${(5_000 - rows).toLocaleString("en")} more scenarios, left out to limit the length of this text.`,
    );
    expect(text).toContain("cassette bless");
    const summary = toJobSummary(many(12_000));
    expect(bytes(summary)).toBeLessThanOrEqual(MAX_SUMMARY_BYTES);
    expect(bytes(summary)).toBeGreaterThan(MAX_COMMENT_BYTES);
    expect(summary).toMatch(/and [\d,]+ more scenarios, left out/);
  });
});

describe("recorded text in Markdown", () => {
  it("holds no HTML, link, mention, reference or formatting", () => {
    const text = escapeMarkdown(HOSTILE);
    expect(text).not.toMatch(/<|>/);
    expect(text).not.toMatch(/@\w|(?<!&)#\w|https:\/\//);
    expect(text).not.toMatch(/(?<!\\)[*_`|[\]]/);
    expect(escapeMarkdown("[x](y) *b* _i_ ~s~ $m$ a|b &amp;")).toBe(
      "\\[x\\]\\(y\\) \\*b\\* \\_i\\_ \\~s\\~ \\$m\\$ a\\|b &amp;amp;",
    );
    expect(escapeMarkdown("www.example.com GH-12 :smile: 0a1b2c3d4e")).toBe(
      "www.&#8203;example.com GH-&#8203;12 :&#8203;smile: 0a1&#8203;b2c3d4e",
    );
  });

  it("is one line, with controls that can be seen", () => {
    expect(escapeMarkdown("a\nb\u202e")).toBe("a\\\\nb\\\\u202e");
  });

  it("cannot end a block of code", () => {
    expect(codeBlock("a ```` b", "sh")).toBe("`````sh\na ```` b\n`````");
  });
});
