import { describe, expect, it } from "vitest";
import { junitReport } from "../../../src/harness/reports/junit.js";
import { gateReport, HOSTILE, rejudged, richReport, scenario } from "../../support/gate-report.js";
import { parseXml, type XmlElement } from "../../support/xml.js";

/** What may stand in what, in the structure that CI systems read. */
const CHILDREN: Readonly<Record<string, readonly string[]>> = {
  testsuites: ["testsuite"],
  testsuite: ["properties", "testcase", "system-out"],
  testcase: ["properties", "skipped", "failure", "system-out"],
  properties: ["property"],
  property: [],
  skipped: [],
  failure: [],
  "system-out": [],
};

function assertStructure(element: XmlElement): void {
  for (const child of element.children) {
    expect(CHILDREN[element.name], `${child.name} in ${element.name}`).toContain(child.name);
    assertStructure(child);
  }
}

const named = ({ children }: XmlElement, name: string) => children.filter((child) => child.name === name);
const suiteOf = (text: string) => parseXml(text).children[0] as XmlElement;
const caseOf = (text: string, name: string) =>
  named(suiteOf(text), "testcase").find(({ attributes }) => attributes["name"] === name) as XmlElement;

describe("the JUnit report", () => {
  it("has the structure that CI systems read, whatever the texts hold", () => {
    const root = parseXml(junitReport(richReport()));
    expect(root.name).toBe("testsuites");
    assertStructure(root);
  });

  it("has one test case for each scenario and each test over all of them, and counts what it holds", () => {
    const suite = suiteOf(junitReport(richReport()));
    const cases = named(suite, "testcase");
    expect(cases).toHaveLength(9);
    expect(suite.attributes).toMatchObject({ tests: "9", failures: "7", errors: "0", skipped: "1" });
    expect(cases.filter((each) => named(each, "failure").length === 1)).toHaveLength(7);
    expect(cases.filter((each) => named(each, "skipped").length === 1)).toHaveLength(1);
    expect(cases.slice(5, 7).map(({ attributes }) => attributes["name"])).toEqual([
      "all scenarios: success",
      "all scenarios: paths",
    ]);
    expect(cases[0]?.attributes).toMatchObject({
      name: "retail/12",
      classname: "cassette.drift",
      file: "cassettes/new/retail/12.0.cassette.json",
    });
  });

  it("says in a failure the reason, the first divergence and where it is", () => {
    const [failure] = named(caseOf(junitReport(richReport()), "retail/12"), "failure");
    expect(failure?.attributes).toEqual({
      message: "It succeeds less often: 4 of 4 runs before, 1 of 4 now.",
      type: "regression",
    });
    expect(failure?.text).toContain('first divergence: get_order({"order_id":"#W103"}) was removed');
    expect(failure?.text).toContain("cassettes/old/retail/12.0.cassette.json:47");
    expect(failure?.text).toContain("rule never-hand-over");
  });

  it("gives figures as properties", () => {
    const [properties] = named(caseOf(junitReport(richReport()), "retail/12"), "properties");
    const figures = Object.fromEntries(properties?.children.map(({ attributes: a }) => [a["name"], a["value"]]) ?? []);
    expect(figures).toMatchObject({
      verdict: "regression",
      "runs.base": "4",
      "success.base": "4/4",
      "success.candidate": "1/4",
      "success.effect": "-0.75",
      "success.p": "0.0429",
      "distance.between": "0.42",
    });
  });

  it("skips what is inconclusive and lets pass, and fails it where the settings say so", () => {
    const report = richReport();
    expect(named(caseOf(junitReport(report), "banking/3"), "failure")).toEqual([]);
    expect(named(caseOf(junitReport(report), "banking/3"), "system-out")[0]?.text).toContain(
      "about 5 runs on each side",
    );
    const strict = rejudged(report, { onInconclusive: "fail" });
    expect(named(caseOf(junitReport(strict), "banking/3"), "failure")).toHaveLength(1);
    expect(suiteOf(junitReport(strict)).attributes).toMatchObject({ failures: "8", skipped: "0" });
  });

  it("skips a scenario on one side where that is let pass", () => {
    const report = rejudged(richReport(), { sharedOnly: true });
    const [skipped] = named(caseOf(junitReport(report), "retail/99"), "skipped");
    expect(skipped?.attributes["message"]).toBe("only the baseline has it (1 run)");
  });

  it("writes characters that XML forbids as escapes that can be seen", () => {
    const text = junitReport(gateReport([scenario("a", "drift", { reason: HOSTILE })]));
    const [failure] = named(caseOf(text, "a"), "failure");
    expect(failure?.attributes["message"]).toContain("\\u202e\\u0000\\u0007\\ufffe\"' onclick='x");
    expect(failure?.text).toContain("</script></title><img src=x onerror=alert(1)>");
  });

  it("gives the same bytes for the same report, and a suite for none", () => {
    expect(junitReport(richReport())).toBe(junitReport(richReport()));
    expect(suiteOf(junitReport(gateReport([]))).attributes).toMatchObject({ tests: "0", failures: "0" });
  });
});
