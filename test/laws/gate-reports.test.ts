// Every report tells the same story: where the gate fails, what a machine reads of it fails too, for each cause; where it
// passes, nothing does.

import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { VERDICTS, type GateReport, type UnpairedScenario } from "../../src/harness/drift/gate-report.js";
import { worstFirst } from "../../src/harness/drift/paths/ranking.js";
import { githubReport } from "../../src/harness/reports/github.js";
import { htmlReport } from "../../src/harness/reports/html/report-page.js";
import { jsonReport } from "../../src/harness/reports/json.js";
import { escapeMarkdown } from "../../src/harness/reports/markdown-text.js";
import { junitReport } from "../../src/harness/reports/junit.js";
import { markdownReport } from "../../src/harness/reports/markdown.js";
import { sarifReport } from "../../src/harness/reports/sarif.js";
import { textReport } from "../../src/harness/reports/text.js";
import { judge, scenario, times } from "../harness/drift/runs.js";
import { rejudged, richReport } from "../support/gate-report.js";

const side = fc
  .tuple(fc.constantFrom("find", "open", "find, open"), fc.constantFrom("", "!", "?"), fc.integer({ min: 1, max: 7 }))
  .chain(([path, end, count]) =>
    fc
      .array(fc.constantFrom("find", "open!", "find?", "find!"), { maxLength: 2 })
      .map((more) => [...times(count, path + end), ...more]),
  );

const unpaired = fc
  .tuple(fc.constantFrom("base" as const, "candidate" as const), fc.boolean(), fc.nat(3))
  .map(([which, isBroken, index]): UnpairedScenario => {
    const file = `${which}/alone${index}.0.cassette.json`;
    const rule = { rule: "r", side: which, location: { file, turn: 1, line: 9 }, sentence: "delete was asked for." };
    return { scenario: `alone-${which}${index}`, side: which, runs: 1, file, rules: isBroken ? [rule] : [] };
  });

const reports: fc.Arbitrary<GateReport> = fc
  .record({
    pairs: fc.array(fc.tuple(side, side), { minLength: 1, maxLength: 4 }),
    alone: fc.uniqueArray(unpaired, { maxLength: 3, selector: ({ scenario: name }) => name }),
    failOn: fc.subarray([...VERDICTS]),
    onInconclusive: fc.constantFrom("pass" as const, "fail" as const),
    sharedOnly: fc.boolean(),
    broken: fc.option(fc.constantFrom("base" as const, "candidate" as const), { nil: undefined }),
  })
  .map(({ pairs, alone, failOn, onInconclusive, sharedOnly, broken }) => {
    const location = { file: "new/s0.000.cassette.json", turn: 0 };
    const found = broken === undefined ? [] : [{ rule: "r", side: broken, location, sentence: "It broke." }];
    return judge(
      pairs.map(([base, candidate], index) => scenario(`s${index}`, base, candidate)),
      { failOn, onInconclusive, ...(sharedOnly ? { sharedOnly } : {}) },
      { unpaired: alone, rules: new Map([["s0", found]]) },
    );
  });

interface SarifLog {
  runs: { results: { level: string; message: { text: string } }[] }[];
}

/** What each report that a machine reads says of failure. */
function failuresIn(report: GateReport) {
  const junit = junitReport(report);
  const sarif = JSON.parse(sarifReport(report)) as SarifLog;
  return {
    junit: junit.split("<failure ").length - 1,
    junitTotal: Number(/<testsuites [^>]*failures="(\d+)"/.exec(junit)?.[1]),
    sarif: (sarif.runs[0]?.results ?? []).filter(({ level }) => level === "error"),
    github: githubReport(report)
      .split("\n")
      .filter((line) => line.startsWith("::error ")),
  };
}

function assertOneStory(report: GateReport): void {
  const { junit, junitTotal, sarif, github } = failuresIn(report);
  const { fails, failures } = report;
  expect(failures.length > 0).toBe(fails);
  expect([junit, junitTotal]).toEqual([failures.length, failures.length]);
  expect(sarif.length > 0).toBe(fails);
  expect(github.length > 0).toBe(fails);
  expect(markdownReport(report)).toContain(fails ? "(fails)" : "(passes)");
  expect(htmlReport(report)).toContain(fails ? "the gate fails" : "the gate passes");
  expect(textReport(report)).toMatch(fails ? /^fails at alpha/m : /^passes at alpha/m);
  expect(githubReport(report)).toContain(fails ? "The gate fails" : "The gate passes");
  assertOneFirst(report);
  for (const { reason } of failures) {
    expect(
      sarif.some(({ message }) => message.text.includes(reason)),
      reason,
    ).toBe(true);
    expect(github.length > 9 || github.some((line) => line.includes(reason.replaceAll("%", "%25"))), reason).toBe(true);
  }
}

/** Every format has the headline's sentence, and its scenario, figures and first failure are those of that sentence. */
function assertOneHeadline(report: GateReport): void {
  const { headline, failures, verdict } = report;
  const written = [textReport, junitReport, sarifReport, githubReport, htmlReport, jsonReport].map((write) =>
    write(report),
  );
  for (const text of written) expect(text).toContain(headline.sentence);
  expect(markdownReport(report)).toContain(escapeMarkdown(headline.sentence));
  expect(headline.sentence).not.toMatch(/p [=<]|corrected|interval/);
  if (headline.scenario !== undefined && headline.kind !== "unpaired") {
    expect(headline.sentence).toContain(headline.scenario);
    expect(worstFirst(report)[0]?.scenario).toBe(headline.scenario);
  }
  if (headline.metric === "success" && headline.candidate !== undefined) {
    expect(headline.sentence).toContain(headline.candidate);
    expect(headline.sentence).toContain(headline.base);
  }
  const [first] = failures;
  if (first?.verdict === verdict && first.kind !== "verdict") expect(headline.kind).toBe(first.kind);
  if (headline.kind === "scenario" && first?.kind === "scenario" && first.verdict === verdict) {
    expect(first.scenario).toBe(headline.scenario);
  }
}

/** The sentence of the verdict, the lists, the box of the page and its keys begin with one and the same scenario. */
function assertOneFirst(report: GateReport): void {
  assertOneHeadline(report);
  const first = worstFirst(report).find(({ verdict }) => verdict !== "same");
  if (first === undefined) return;
  const named = /^\d+ of \d+ scenarios (?:got worse|changed|improved) \((?:first: )?(\S+)\): (.*)$/s.exec(
    report.reason,
  );
  if (named !== null) expect([named[1], named[2]]).toEqual([first.scenario, first.reason]);
  const name = (text: string): string | undefined => /\bs\d+\b/.exec(text)?.[0];
  const text = textReport(report);
  expect(/^(s\d+): /m.exec(text)?.[1]).toBe(first.scenario);
  expect(name(markdownReport(report).split("| --- |").at(-1) ?? "")).toBe(first.scenario);
  const page = htmlReport(report);
  expect(name(/id="head-divergence"[^]*?<\/p>/.exec(page)?.[0] ?? "")).toBe(first.scenario);
  expect(/data-stop="yes"[^]*?<h3[^>]*>(s\d+)</.exec(page)?.[1]).toBe(first.scenario);
  expect(name(/<testcase name="s\d+"/.exec(junitReport(report))?.[0] ?? "")).toBe(first.scenario);
  const sarif = JSON.parse(sarifReport(report)) as SarifLog;
  const verdicts = (sarif.runs[0]?.results ?? []).map(
    ({ message }) => /^(s\d+): (?:regression|drift|inconclusive|better)\./.exec(message.text)?.[1],
  );
  expect(verdicts.find((each) => each !== undefined)).toBe(first.scenario);
}

describe("the reports of the gate", () => {
  it("fail for each cause where the gate fails, and nowhere else", () => {
    fc.assert(fc.property(reports, assertOneStory), { numRuns: 80 });
  });

  it("do so for verdicts of every kind and every setting", () => {
    fc.assert(
      fc.property(fc.subarray([...VERDICTS]), fc.constantFrom("pass" as const, "fail" as const), (failOn, open) => {
        const report = rejudged(richReport(), { failOn, onInconclusive: open });
        const { junit, sarif, github } = failuresIn(report);
        expect(junit).toBe(report.failures.length);
        expect([sarif.length > 0, github.length > 0]).toEqual([report.fails, report.fails]);
      }),
    );
  });
});
