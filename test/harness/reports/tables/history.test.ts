import { describe, expect, it } from "vitest";
import { historyHtml, historyText, type History } from "../../../../src/harness/reports/tables/history.js";
import type { PastReport } from "../../../../src/harness/reports/tables/past-report.js";
import { all, parsePage } from "../../../support/page.js";

function past(day: number, scenarios: string[]): PastReport {
  const date = new Date(Date.UTC(2026, 0, 1 + day)).toISOString().slice(0, 10);
  return {
    ...{
      file: `${date}.json`,
      date,
      dateFrom: "name",
      base: "base",
      candidate: "candidate",
      fails: false,
      metrics: [],
    },
    ...{ verdict: "same", headline: "Nothing changed." },
    scenarios: scenarios.map((scenario) => ({ scenario, verdict: "same", metrics: [] })),
  };
}

const history = (reports: PastReport[]): History => {
  return { folder: "reports", reports, mutations: [], damaged: [], notes: [] };
};

describe("the history of reports", () => {
  it("shows the newest 20 in a text and the newest 100 on a page, and says how many are older", () => {
    const long = history(Array.from({ length: 130 }, (_, day) => past(day, ["buy"])));
    const text = historyText(long);
    expect(text).toContain("110 older reports are not shown.");
    expect(text.match(/2026-\d\d-\d\d\.json/g)).toHaveLength(20);
    expect(text).toContain(long.reports.at(-1)?.file);
    const page = historyHtml(long);
    expect(page).toContain("30 older reports are not shown.");
    expect(all(parsePage(page).body, "details")).toHaveLength(2);
  });

  it("shows scenarios that changed first, and counts those that are left out", () => {
    const names = Array.from({ length: 12 }, (_, index) => `a${String(index).padStart(2, "0")}`);
    const newest = past(1, [...names, "z"]);
    const changed = {
      ...newest,
      scenarios: newest.scenarios.map((each) =>
        each.scenario === "z" ? { ...each, verdict: "drift" as const } : each,
      ),
    };
    const text = historyText(history([past(0, [...names, "z"]), changed]));
    expect(text.indexOf("\nz\n")).toBeGreaterThan(0);
    expect(text.indexOf("\nz\n")).toBeLessThan(text.indexOf("\na00\n"));
    expect(text).toContain("3 more scenarios are not shown. Those that changed come first.");
    const folds = all(parsePage(historyHtml(history([past(0, ["a"]), past(1, ["a"])]))).body, "details");
    expect(folds.map((fold) => fold.getAttribute("open") !== null)).toEqual([true, false]);
  });
});
