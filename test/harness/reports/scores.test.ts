// A score in each format of the report: the figures where metrics are shown, and the reason of a verdict by its threshold.

import { expect, it } from "vitest";
import { reporterOf, REPORTER_NAMES } from "../../../src/harness/reports/registry.js";
import { judge, run } from "../drift/runs.js";

function runsOf(side: string, grades: readonly number[][]) {
  return grades.map((list, index) => ({
    ...run("find", `${side}/refund.${index}.cassette.json`),
    scores: new Map([["helpful", list]]),
  }));
}

const repeated = (...means: number[]): number[][] => means.map((mean) => [mean, mean + 1]);
const report = judge(
  [
    {
      scenario: "refund",
      base: runsOf("old", repeated(4, 4, 4, 4, 4, 4)),
      candidate: runsOf("new", repeated(1, 1, 1, 1, 1, 1)),
    },
  ],
  { thresholds: [{ metric: "score:helpful", amount: 0.5, isRelative: false }] },
);

/** The text that a reader sees: without markup, entities, escapes of the format, and line breaks. */
const plain = (text: string): string =>
  text
    .replaceAll(/<[^>]*>/g, " ")
    .replaceAll("&#8203;", "")
    .replaceAll("&gt;", ">")
    .replaceAll("%25", "%")
    .replaceAll("\\", "")
    .replaceAll(/\s+/g, " ");

it.each(REPORTER_NAMES)("the report as %s names the score, its fall and the threshold", (name) => {
  const text = plain(reporterOf(name)?.(report) ?? "");
  expect(text).toContain("the score helpful fell from 4.5 to 1.5 on average, -3");
  expect(text).toContain("more than the allowed -0.5");
});

it.each(["text", "markdown", "html", "json"])("the report as %s shows how well repeated grades agree", (name) => {
  const text = plain(reporterOf(name)?.(report) ?? "");
  if (name === "json") expect(text).toContain('"agreement": { "answers": 12, "grades": 24, "same": 0,');
  else expect(text).toContain("score:helpful: repeated grades of 12 answers are equal in 0% of pairs");
});

it("there are seven formats, and all were asked", () => {
  expect(REPORTER_NAMES).toHaveLength(7);
  expect(report).toMatchObject({ verdict: "regression", fails: true });
});
