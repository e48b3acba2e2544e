import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import type { GateReport } from "../../../src/harness/drift/gate-report.js";
import { MAX_SARIF_RESULTS } from "../../../src/harness/limits.js";
import { sarifReport, toUriReference } from "../../../src/harness/reports/sarif.js";
import { edit, gateReport, HOSTILE, richReport, scenario } from "../../support/gate-report.js";
import { assertValid, createValidator } from "../../support/json-schema.js";

const schema = JSON.parse(readFileSync(new URL("../../support/sarif.schema.json", import.meta.url), "utf8")) as object;
const validate = createValidator().compile(schema);

interface Result {
  ruleId: string;
  ruleIndex: number;
  level: string;
  message: { text: string };
  locations: {
    physicalLocation: { artifactLocation: { uri: string; uriBaseId?: string }; region?: { startLine: number } };
  }[];
  partialFingerprints: Record<string, string>;
}

function runOf(report: GateReport) {
  const log = JSON.parse(sarifReport(report)) as {
    runs: [
      {
        tool: { driver: { rules: { id: string }[] } };
        invocations: [{ toolExecutionNotifications?: { message: { text: string } }[] }];
        results: Result[];
      },
    ];
  };
  assertValid(validate, log);
  return log.runs[0];
}

const fingerprints = (results: readonly Result[]) => results.map(({ partialFingerprints: p }) => p["cassetteDrift/v1"]);

describe("the SARIF log", () => {
  it("fits the structure, whatever the texts hold", () => {
    const { results, tool } = runOf(richReport());
    expect(results.length).toBeGreaterThan(8);
    for (const { ruleId, ruleIndex } of results) expect(tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
  });

  it("anchors each result at the line of the cassette", () => {
    const { results } = runOf(richReport());
    const placed = results.map(({ ruleId, level, locations: [at] }) => {
      const { artifactLocation, region } = at?.physicalLocation ?? {};
      return [ruleId, level, artifactLocation?.uri, region?.startLine];
    });
    expect(placed).toContainEqual(["verdict/regression", "error", "cassettes/old/retail/12.0.cassette.json", 47]);
    expect(placed).toContainEqual(["rule/broken", "error", "cassettes/new/retail/12.0.cassette.json", 57]);
    expect(placed).toContainEqual(["drift/args-changed", "warning", "cassettes/new/retail/12.0.cassette.json", 47]);
    expect(placed).toContainEqual(["verdict/inconclusive", "note", "cassettes/old/banking/3.0.cassette.json", 17]);
    expect(placed).toContainEqual([
      "contract/schema-changed",
      "note",
      "cassettes/new/retail/12.0.cassette.json",
      undefined,
    ]);
  });

  it("has nothing for scenarios that are the same", () => {
    const same = scenario("a", "same", {
      edits: [edit("a", { kind: "removed", tool: "f", oldTurn: 0, arguments: {} })],
    });
    expect(runOf(gateReport([same])).results).toEqual([]);
  });

  it("keeps a fingerprint when lines move and when other scenarios come and go", () => {
    const report = richReport();
    const before = new Set(fingerprints(runOf(report).results));
    const moved = JSON.parse(JSON.stringify(report).replaceAll(/"line":(\d+)/g, '"line":1$1')) as GateReport;
    expect(new Set(fingerprints(runOf(moved).results))).toEqual(before);
    const alone = report.scenarios.filter((each) => each.scenario === "retail/12");
    for (const print of fingerprints(runOf(gateReport(alone)).results)) expect(before).toContain(print);
  });

  it("gives two findings that say the same two fingerprints", () => {
    const call = { kind: "removed", tool: "f", arguments: {} } as const;
    const twice = [edit("a", { ...call, oldTurn: 0 }), edit("a", { ...call, oldTurn: 1 })];
    const { results } = runOf(gateReport([scenario("a", "drift", { edits: twice, firstDivergence: 0 })]));
    expect(new Set(fingerprints(results)).size).toBe(3);
  });

  it("holds at most 5,000 results, the verdicts first, and says how many it left out", () => {
    const edits = Array.from({ length: 60 }, (_, index) => {
      return edit("a", { kind: "added", tool: `f${index}`, newTurn: index, arguments: {} });
    });
    const many = Array.from({ length: 100 }, (_, index) => scenario(`s/${index}`, "drift", { edits }));
    const { results, invocations } = runOf(gateReport(many));
    expect(results).toHaveLength(MAX_SARIF_RESULTS);
    expect(results.filter(({ ruleId }) => ruleId === "verdict/drift")).toHaveLength(100);
    expect(invocations[0].toolExecutionNotifications?.[0]?.message.text).toBe(
      "1100 more results were left out, because a run holds at most 5000.",
    );
  });
});

describe("a path as a URI reference", () => {
  it.each([
    ["a/b.json", "a/b.json"],
    ["./a b#c?d%.json", "a%20b%23c%3Fd%25.json"],
    ["x:y/z", "x%3Ay/z"],
    ["/abs/é.json", "file:///abs/%C3%A9.json"],
    ["C:\\runs\\a.json", "file:///C:/runs/a.json"],
    ["runs\\a.json", "runs/a.json"],
    ["../new/a.json", "../new/a.json"],
  ])("%s is %s", (path, uri) => {
    expect(toUriReference(path)).toBe(uri);
  });

  it("never becomes a scheme or a query", () => {
    expect(toUriReference(HOSTILE)).not.toMatch(/[<>"'#?:\s]/);
  });
});
