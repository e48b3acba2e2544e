import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { jsonReport } from "../../src/harness/reports/json.js";
import { refusalText } from "../../src/harness/reports/refusal.js";
import { candidatesJson } from "../../src/harness/reports/tables/matrix.js";
import type { GateReport, ScenarioReport } from "../../src/harness/drift/gate-report.js";
import { gateReport, HOSTILE, metricFigures, outcomes, scenario } from "../support/gate-report.js";
import { assertPublished } from "../support/published-schemas.js";
import { mutantLines } from "../support/ui-folder.js";
import { cli, documentOf, folder as root } from "./run.js";

let count = 0;
let folder: string;
beforeEach(() => {
  folder = `reports-${++count}`;
  mkdirSync(join(root, folder));
});

function put(name: string, text: string, changed?: string): void {
  const file = join(root, folder, name);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
  if (changed !== undefined) utimesSync(file, new Date(changed), new Date(changed));
}

function scored(name: string, verdict: ScenarioReport["verdict"], score: number): ScenarioReport {
  const side = (mean: number) => ({ runs: 4, unknown: 0, total: 4 * mean, mean });
  const cost = { metric: "cost", unit: "USD", base: side(0.02), candidate: side(0.03), level: 0.95 } as const;
  const helpful = {
    metric: "score:helpful",
    unit: "points",
    base: side(0.75),
    candidate: side(score),
    level: 0.95,
  } as const;
  const successes = verdict === "regression" ? 1 : 4;
  return scenario(name, verdict, { outcome: outcomes(4, successes, 4, 0.02), metrics: [cost, helpful] });
}

function report(candidate: string, scenarios: ScenarioReport[], rest: Partial<GateReport> = {}): string {
  return jsonReport(gateReport(scenarios, { candidate, ...rest }));
}

const history = (...more: string[]) => cli(["drift", "--history", folder, ...more]);
/** The tables of the text by their titles, each row as its cells. */
function tablesOf(text: string): Record<string, string[][]> {
  const parts = text.split("\n\n").filter((part) => part.includes("\n  date"));
  return Object.fromEntries(
    parts.map((part) => {
      const [title = "", ...rows] = part.trimEnd().split("\n");
      return [title, rows.map((row) => row.trim().split(/ {2,}/))];
    }),
  );
}

describe("cassette drift --history", () => {
  it("shows verdicts, headlines, scores and cost over all scenarios and for each, oldest first", async () => {
    put("2026-11-09.json", report("nov", [scored("buy", "regression", 0.5), scored("ask", "same", 0.75)]));
    put("old/2025-12-31T23-59.json", report("dec", [scored("ask", "same", 0.7)]));
    put("2026-11-08.json", report("oct", [scored("buy", "same", 0.75), scored("ask", "same", 0.75)]));
    const ran = await history();
    expect(ran).toMatchObject({ code: 0, err: "" });
    const tables = tablesOf(ran.out);
    expect(Object.keys(tables)).toEqual(["All scenarios", "buy", "ask"]);
    expect(tables["All scenarios"]?.map((row) => row.slice(0, 5))).toEqual([
      ["date", "report", "candidate", "verdict", "success"],
      ["2025-12-31 23:59", "old/2025-12-31T23-59.json", "dec", "same", expect.any(String)],
      ["2026-11-08", "2026-11-08.json", "oct", "same", expect.any(String)],
      ["2026-11-09", "2026-11-09.json", "nov", "regression (fails)", expect.any(String)],
    ]);
    expect(tables["All scenarios"]?.[3]?.at(-1)).toMatch(/^buy got worse: /);
    expect(tables["buy"]).toEqual([
      ["date", "candidate", "verdict", "success", "cost", "score:helpful"],
      ["2025-12-31 23:59", "dec", "–", "–", "–", "–"],
      ["2026-11-08", "oct", "same", "4/4 → 4/4", "$0.02 → $0.03", "0.75 → 0.75"],
      ["2026-11-09", "nov", "regression", "4/4 → 1/4", "$0.02 → $0.03", "0.75 → 0.5"],
    ]);
    expect(ran.out).not.toContain("skipped");
  });

  it("takes the time of a file without a date in its path, sorts numbers by their size, and says so", async () => {
    put("run-10.json", report("ten", []), "2026-01-02T00:00:00Z");
    put("run-9.json", report("nine", []), "2026-01-02T00:00:00Z");
    put("2026-02-30.json", report("no-such-day", []), "2026-01-01T00:00:00Z");
    put("20260103-2.json", report("third", []));
    const ran = await history("--json");
    const { reports } = documentOf(ran) as unknown as { reports: { candidate: string; dateFrom: string }[] };
    expect(reports.map(({ candidate, dateFrom }) => `${candidate} ${dateFrom}`)).toEqual([
      "no-such-day file",
      "nine file",
      "ten file",
      "third name",
    ]);
    expect((await history()).out).toContain("3 reports without a date in the path: the time when the file was changed");
  });

  it("has each of several candidates, and the score of mutations", async () => {
    const [one, two] = [gateReport([], { candidate: "one" }), gateReport([], { candidate: "two" })];
    put("2026-11-08.json", candidatesJson({ alpha: 0.05, reports: [one, two] }));
    put("2026-11-09.jsonl", mutantLines());
    const tables = tablesOf((await history()).out);
    expect(tables["All scenarios"]?.slice(1).map((row) => row[2])).toEqual(["one", "two"]);
    expect(tables["Mutations"]).toEqual([
      ["date", "report", "score", "survived", "not loaded"],
      ["2026-11-09", "2026-11-09.jsonl", "33 % noticed", "2", "0"],
    ]);
  });

  it("notes a report that says why nothing was compared", async () => {
    put("2026-11-07.json", report("fine", [scored("buy", "same", 0.75)]));
    const refused = [{ code: "nothing-found", message: "nowhere does not exist" }];
    put("2026-11-08.json", refusalText("json", { base: "old", candidate: "nowhere", refused }));
    const ran = await history();
    expect(ran.code).toBe(0);
    expect(ran.out).toContain("2026-11-08.json: nothing was compared: nowhere does not exist.");
    expect(ran.out).not.toContain("other file");
    rmSync(join(root, folder, "2026-11-07.json"));
    expect((await history()).out).toContain("nowhere does not exist.");
  });

  it("shows all others and exits 2 if a report is damaged, and counts files that are not reports", async () => {
    put("2026-11-07.json", report("fine", [scored("buy", "same", 0.75)]));
    put("2026-11-08.json", report("cut", []).slice(0, 400));
    const odd = {
      ...gateReport([]),
      metrics: { all: [{ ...metricFigures()[2], base: { runs: 1, unknown: 0, total: 1, mean: "9" } }] },
    };
    put("2026-11-09.json", JSON.stringify(odd));
    put("package.json", "{}");
    const ran = await history();
    expect(ran.code).toBe(2);
    expect(tablesOf(ran.out)["All scenarios"]).toHaveLength(2);
    expect(ran.out).toContain("skipped 2026-11-08.json: the report is not valid JSON");
    expect(ran.out).toContain(
      "skipped 2026-11-09.json: the report is not complete: it has a figure that is not a number",
    );
    expect(ran.out).toContain("1 other file in the folder: not a report of drift or mutate.");
    expect(documentOf(await history("--json"))).toMatchObject({ exitCode: 2, damaged: [{}, {}] });
  });

  it("writes Markdown, a page and JSON, with hostile names as text", async () => {
    put("2026-11-08.json", report(HOSTILE, [scored(HOSTILE, "drift", 0.5)], { base: HOSTILE }));
    const into = (name: string) => join(root, `${folder}-${name}`);
    const targets = ["markdown=m.md", "html=h.html", "json=j.json"].map((each) => each.replace("=", `=${folder}-`));
    expect(await history("--reporter", targets.join())).toMatchObject({ code: 0, out: "" });
    const page = readFileSync(into("h.html"), "utf8");
    expect(page).not.toContain("<img");
    expect(page).not.toMatch(/<a [^>]*href="javascript/);
    expect(page).toContain("default-src &#39;none&#39;");
    const markdown = readFileSync(into("m.md"), "utf8");
    expect(markdown).not.toContain("<img");
    expect(markdown).not.toMatch(/(?<!\\)@octocat|\u202e/);
    assertPublished("history", JSON.parse(readFileSync(into("j.json"), "utf8")));
    const kept = await history("--reporter", targets.join());
    expect(kept).toMatchObject({ code: 2 });
    expect(kept.err).toContain("exists and was not replaced");
  });

  it("keeps each row of a table on one line, whatever a report contains", async () => {
    put("2026-11-08.json", report("a\nb", [scored("x\ny", "drift", 0.5)]));
    expect((await history()).out).not.toMatch(/^[by]/m);
  });

  it.each([
    ["a baseline", ["base"], "was given with base"],
    ["an option of a comparison", ["--seed", "3"], "was given with --seed"],
    ["a reporter of tests", ["--reporter", "junit"], "--history has no junit report"],
  ])("refuses %s", async (_, more, message) => {
    put("2026-11-08.json", report("c", []));
    const ran = await history(...more);
    expect(ran.code).toBe(2);
    expect(ran.err).toContain(message);
  });

  it("refuses a folder that does not exist, is a file, or has no report", async () => {
    expect((await cli(["drift", "--history", "nowhere"])).err).toContain("nowhere does not exist");
    put("notes.json", "{}");
    expect((await history()).err).toContain(`${folder} has no report of drift or mutate`);
    expect(await cli(["drift", "--history", `${folder}/notes.json`])).toMatchObject({ code: 2, out: "" });
    expect(existsSync(join(root, folder, "notes.json"))).toBe(true);
  });

  it("is needed where no baseline or no candidate is given", async () => {
    expect((await cli(["drift"])).err).toContain("no baseline was given");
    expect((await cli(["drift", "base"])).err).toContain("no candidate was given");
  });
});
