// The gate's findings as JUnit XML, for CI systems that list tests: one test case for each scenario. The structure is the one that
// Jenkins, GitLab, CircleCI and Buildkite read (testsuites, testsuite, testcase with properties, failure, skipped, system-out).

import { toVisible } from "../../core/index.js";
import type { GateReport, OutcomeComparison, ScenarioReport } from "../drift/report.js";
import { isFailing, scenarioLines } from "./facts.js";

/** An XML 1.0 document. The same report gives the same bytes: it holds no time and no machine. */
export function toJunit(report: GateReport): string {
  const { scenarios, settings } = report;
  const failures = scenarios.filter(({ verdict }) => isFailing(verdict, settings)).length;
  const skipped = scenarios.filter((each) => isSkipped(each, report)).length;
  const totals = { tests: scenarios.length, failures, errors: 0, skipped, time: 0 };
  const suite = element("testsuite", { name: `${report.base} → ${report.candidate}`, ...totals }, [
    propertiesOf(overallFigures(report)),
    ...scenarios.map((scenario) => testCase(scenario, report)),
    element("system-out", {}, [escape([report.reason, ...missingLines(report)].map(toVisible).join("\n"))]),
  ]);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", { name: "cassette drift", ...totals }, [suite])}\n`;
}

/** Undecided, and the settings let it pass: neither green nor red. */
function isSkipped({ verdict }: ScenarioReport, { settings }: GateReport): boolean {
  return verdict === "inconclusive" && !isFailing(verdict, settings);
}

function testCase(scenario: ScenarioReport, report: GateReport): string {
  const lines = scenarioLines(scenario).map(toVisible).join("\n");
  const message = { message: toVisible(scenario.reason) };
  const parts = [propertiesOf(scenarioFigures(scenario))];
  if (isFailing(scenario.verdict, report.settings)) {
    parts.push(element("failure", { ...message, type: scenario.verdict }, [escape(lines)]));
  } else {
    if (isSkipped(scenario, report)) parts.push(element("skipped", message, []));
    if (scenario.verdict !== "same" || scenario.edits.length > 0)
      parts.push(element("system-out", {}, [escape(lines)]));
  }
  const file = scenario.typical.candidate;
  return element("testcase", { name: scenario.scenario, classname: "cassette.drift", file, time: 0 }, parts);
}

type Figures = Record<string, string | number | undefined>;

function overallFigures({ verdict, settings, counts, pooled, base, candidate }: GateReport): Figures {
  const { alpha, minRuns, seed, order } = settings;
  return {
    base,
    candidate,
    verdict,
    ...Object.fromEntries(Object.entries(counts).map(([name, count]) => [`count.${name}`, count])),
    alpha,
    "min-runs": minRuns,
    seed,
    order,
    ...outcomeFigures(pooled.outcome),
    "distance.p": pooled.distance?.test.adjusted,
  };
}

function scenarioFigures({ verdict, base, candidate, runsNeeded, outcome, distance }: ScenarioReport): Figures {
  return {
    verdict,
    "runs.base": base.length,
    "runs.candidate": candidate.length,
    "runs.needed": runsNeeded,
    ...outcomeFigures(outcome),
    "distance.between": distance?.between,
    "distance.p": distance?.test.adjusted,
  };
}

function outcomeFigures(outcome: OutcomeComparison | undefined): Figures {
  if (outcome === undefined) return {};
  const { base, candidate, effect, test } = outcome;
  return {
    "success.base": `${base.successes}/${base.runs}`,
    "success.candidate": `${candidate.successes}/${candidate.runs}`,
    "success.effect": effect.value,
    "success.effect.low": effect.low,
    "success.effect.high": effect.high,
    "success.p": test.adjusted,
  };
}

function missingLines({ onlyBase, onlyCandidate }: GateReport): string[] {
  return [
    ...onlyBase.map((name) => `only in the baseline: ${name}`),
    ...onlyCandidate.map((name) => `only in the candidate: ${name}`),
  ];
}

function propertiesOf(figures: Figures): string {
  const known = Object.entries(figures).flatMap(([name, value]) =>
    value === undefined ? [] : [{ name, value: rounded(value) }],
  );
  return element(
    "properties",
    {},
    known.map((property) => element("property", property, [])),
  );
}

/** Without the dust of binary fractions. */
function rounded(value: string | number): string | number {
  return typeof value === "number" ? Number(value.toFixed(6)) : value;
}

/** `children` are markup already; attributes are escaped here. */
function element(name: string, attributes: Record<string, string | number>, children: readonly string[]): string {
  const listed = Object.entries(attributes).map(([key, value]) => ` ${key}="${escape(toVisible(String(value)))}"`);
  const open = `<${name}${listed.join("")}`;
  if (children.length === 0) return `${open}/>`;
  const isText = children.length === 1 && children[0]?.startsWith("<") !== true;
  return isText ? `${open}>${children.join("")}</${name}>` : `${open}>\n${children.join("\n")}\n</${name}>`;
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&apos;",
};

/** Text after `toVisible`; what is left that XML 1.0 §2.2 forbids are two code points. */
function escape(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "")
    .replace(/[\ufffe\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`);
}
