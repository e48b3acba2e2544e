import { describe, expect, it } from "vitest";
import type { GateReport } from "../../../../src/harness/drift/gate-report.js";
import { htmlReport } from "../../../../src/harness/reports/html/report-page.js";
import { gateReport, HOSTILE, richReport, scenario, turn } from "../../../support/gate-report.js";
import { all, one, parsePage } from "../../../support/page.js";

const pageOf = (report: GateReport) => parsePage(htmlReport(report)).documentElement;

describe("the page of a drift report", () => {
  it("names the verdict, and the first divergence with a link to its row", () => {
    const root = pageOf(richReport());
    expect(one(root, "h1").textContent).toMatch(/Regression\s+the gate fails/);
    const link = one(root, "#head-divergence a");
    const row = one(root, link.getAttribute("href") ?? "");
    expect(row.className).toContain("changed");
    expect(row.textContent).toContain("First divergence");
    expect(row.textContent).toContain("get_order");
  });

  it("lists the scenarios from the worst to the best, in the rail as in the text", () => {
    const root = pageOf(richReport());
    const verdicts = all(root, ".scenario").map((each) => each.getAttribute("data-verdict"));
    expect(verdicts).toEqual(["regression", "drift", "drift", "inconclusive", "same"]);
    expect(all(root, ".rail li").map((each) => each.getAttribute("data-for"))).toEqual(
      all(root, ".scenario").map(({ id }) => id),
    );
  });

  it("shows every turn of both sides once, with a gap next to what has no counterpart", () => {
    const rows = all(one(pageOf(richReport()), "#scenario-1"), ".pair");
    expect(rows).toHaveLength(8);
    const sides = rows.map((row) => all(row, ".side").map((each) => each.getAttribute("aria-label") ?? "gap"));
    expect(sides[4]).toEqual(["Baseline, turn 4", "gap"]);
    expect(sides[5]).toEqual(["Baseline, turn 5", "Candidate, turn 4"]);
    expect(sides[6]).toEqual(["gap", "Candidate, turn 5"]);
  });

  it("folds a long stretch without a difference, except for the turn next to one", () => {
    const fold = one(one(pageOf(richReport()), "#scenario-5"), ".alike");
    expect(fold.textContent).toContain("9 turns without a difference");
    expect(all(fold, ".pair")).toHaveLength(9);
  });

  it("shows paths, outcomes with pass@k and pass^k, the interval and the test", () => {
    const text = one(pageOf(richReport()), "#scenario-1").textContent;
    for (const part of [
      "4 of 4 runs (100%) before, 1 of 4 runs (25%) now",
      "pass@k, candidate",
      "pass^k, baseline",
      "−75 points, 95% interval −100 to −45",
      "Fisher's exact test, one-sided: p = 0.014, corrected 0.043",
      "find_user → get_order + get_order → cancel_order",
      "rule never-hand-over broken",
      "numeric ±0.01",
    ]) {
      expect(text).toContain(part);
    }
  });

  it("holds recorded text as text alone", () => {
    const root = pageOf(richReport());
    expect(all(root, "script")).toHaveLength(1);
    expect(all(root, "img, iframe, object, form, link")).toEqual([]);
    for (const link of all(root, "a")) expect(link.getAttribute("href")).toMatch(/^#[a-z0-9-]+$/);
    const named = Array.from(root.querySelectorAll("*")).flatMap(({ attributes }) => Array.from(attributes));
    expect(named.filter(({ name }) => name.startsWith("on") || name === "style")).toEqual([]);
    expect(root.textContent).toContain("<img src=x onerror=alert(1)>");
    expect(root.textContent).not.toContain("\u202e");
  });

  it("is the same to the byte for the same report", () => {
    expect(htmlReport(richReport())).toBe(htmlReport(richReport()));
  });

  it("cuts what no page could hold, and says so", () => {
    const rows = Array.from({ length: 6_000 }, (_, index) => ({
      base: turn(index, { text: "x".repeat(2_000) }),
      candidate: turn(index),
      edits: [],
    }));
    const text = htmlReport(gateReport([scenario("a", "drift", { timeline: rows })]));
    expect(text).toContain("Some content is left out.");
    expect(text.length).toBeLessThan(30_000_000);
  });

  it("says that a report has no scenarios or differences", () => {
    expect(pageOf(gateReport([])).textContent).toContain("No scenario exists on both sides.");
    expect(pageOf(gateReport([scenario(HOSTILE, "same")])).textContent).toContain("No difference was found");
  });
});
