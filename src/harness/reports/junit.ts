// Writes the gate's findings as JUnit XML for Jenkins, GitLab, CircleCI and Buildkite: one test case for each scenario, and one for
// each test over all scenarios.

import { defined, toVisible } from "../../core/index.js";
import { sideText } from "../drift/failures.js";
import type { GateFailure, GateReport, OutcomeComparison, ScenarioReport } from "../drift/gate-report.js";
import type { MetricFigures } from "../drift/metrics/figures.js";
import { worstFirst } from "../drift/paths/ranking.js";
import { unpairedBreak } from "../drift/verdict.js";
import {
  failingNames,
  headlineFirst,
  hintLines,
  placeOfAll,
  placeOfUnpaired,
  scenarioLines,
  withoutOutcomeLines,
} from "./facts.js";
import { distanceLine, outcomeLine } from "./figures.js";
import { metricLine } from "./metrics.js";

/** Writes an XML 1.0 document. The same report gives the same bytes: no times and no machine names. */
export function junitReport(report: GateReport): string {
  const rank = ({ failure }: Case): number => (failure?.reason === report.reason ? 0 : 1);
  const others = [...pooledCases(report), ...unpairedCases(report)].sort((a, b) => rank(a) - rank(b));
  const cases = headlineFirst(report, scenarioCases(report), others);
  const failures = cases.filter(({ failure }) => failure !== undefined).length;
  const skipped = cases.filter((each) => each.failure === undefined && each.skipped !== undefined).length;
  const totals = { tests: cases.length, failures, errors: 0, skipped, time: 0 };
  const notes = [report.headline.sentence, report.reason, ...hintLines(report), ...missingLines(report)]
    .map(toVisible)
    .join("\n");
  return testSuites(`${report.base} → ${report.candidate}`, totals, [
    propertiesOf(overallFigures(report)),
    ...cases.map(toCase),
    element("system-out", {}, [escapeXml(notes)]),
  ]);
}

export function testSuites(name: string, totals: Record<string, number>, children: readonly string[]): string {
  const suite = element("testsuite", { name, ...totals }, children);
  return `<?xml version="1.0" encoding="UTF-8"?>\n${element("testsuites", { name: "cassette drift", ...totals }, [suite])}\n`;
}

interface Case {
  name: string;
  file: string;
  figures: Figures;
  /** The output. In a failed case, it is part of the failure. */
  lines: readonly string[];
  failure?: Pick<GateFailure, "verdict" | "reason">;
  /** Why the case counts as skipped: neither passed nor failed. */
  skipped?: string;
}

function toCase({ name, file, figures, lines, failure, skipped }: Case): string {
  const said = escapeXml(lines.map(toVisible).join("\n"));
  const parts = [propertiesOf(figures)];
  if (failure !== undefined) {
    const { verdict, reason } = failure;
    parts.push(element("failure", { message: toVisible(reason), type: verdict }, [said]));
  } else {
    if (skipped !== undefined) parts.push(element("skipped", { message: toVisible(skipped) }, []));
    if (lines.length > 0) parts.push(element("system-out", {}, [said]));
  }
  return element("testcase", { name, classname: "cassette.drift", file, time: 0 }, parts);
}

/** The tests over all scenarios, and the verdict itself if no other failure explains it. */
function pooledCases(report: GateReport): Case[] {
  const { pooled, failures } = report;
  const { file } = placeOfAll(report);
  const all = (kind: GateFailure["kind"], what: string, lines: readonly string[]): Case => {
    const failure = failures.find((each) => each.kind === kind);
    const all = failure === undefined ? lines : [failure.reason, ...lines];
    return { name: `all scenarios: ${what}`, file, figures: {}, lines: all, ...defined({ failure }) };
  };
  return [
    ...(pooled.outcome === undefined ? [] : [all("pooled-outcome", "success", [outcomeLine(pooled.outcome)])]),
    ...(pooled.distance === undefined ? [] : [all("pooled-distance", "paths", [distanceLine(pooled.distance)])]),
    ...metricCases(report),
    ...(failures.some(({ kind }) => kind === "verdict") ? [all("verdict", "verdict", [])] : []),
  ];
}

/** One case for each metric with a threshold. */
function metricCases(report: GateReport): Case[] {
  const { file } = placeOfAll(report);
  return report.metrics.all.flatMap((each): Case[] => {
    const { metric, threshold, verdict, reason = "" } = each;
    if (threshold === undefined) return [];
    const failure = report.failures.find((found) => found.kind === "metric" && found.metric === metric);
    const skipped = verdict === "inconclusive" ? reason : undefined;
    const lines = [metricLine(each)];
    return [{ name: `all scenarios: ${metric}`, file, figures: {}, lines, ...defined({ failure, skipped }) }];
  });
}

/** An undecided scenario that passes counts as skipped, neither passed nor failed. */
function scenarioCases(report: GateReport): Case[] {
  const failing = failingNames(report);
  return worstFirst(report).map((scenario): Case => {
    const { scenario: name, verdict, reason, edits, typical } = scenario;
    const isWorthALine = verdict !== "same" || edits.length > 0;
    return {
      name,
      file: typical.candidate,
      figures: scenarioFigures(scenario),
      lines: isWorthALine || failing.has(name) ? scenarioLines(scenario) : [],
      ...(failing.has(name) ? { failure: { verdict, reason } } : {}),
      ...(verdict === "inconclusive" ? { skipped: reason } : {}),
    };
  });
}

function unpairedCases({ unpaired, failures }: GateReport): Case[] {
  const failing = new Map(failures.flatMap((each) => (each.kind === "unpaired" ? [[each.scenario ?? "", each]] : [])));
  return unpaired.map((each): Case => {
    const failure = failing.get(each.scenario);
    const [skipped, broken] = [sideText(each), unpairedBreak(each)];
    return {
      name: each.scenario,
      file: placeOfUnpaired(each).file,
      figures: { [`runs.${each.side}`]: each.runs },
      lines: broken === undefined ? [skipped] : [skipped, broken],
      skipped,
      ...defined({ failure }),
    };
  });
}

type Figures = Record<string, string | number | undefined>;

function overallFigures({
  verdict,
  settings,
  counts,
  pooled,
  metrics,
  base,
  candidate,
  withoutOutcome,
}: GateReport): Figures {
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
    "without-outcome.base": withoutOutcome.base,
    "without-outcome.candidate": withoutOutcome.candidate,
    ...outcomeFigures(pooled.outcome),
    "distance.p": pooled.distance?.test.adjusted,
    ...metricFigures(metrics.all),
  };
}

function scenarioFigures(scenario: ScenarioReport): Figures {
  const { verdict, base, candidate, withoutOutcome, runsNeeded, outcome, distance } = scenario;
  return {
    verdict,
    "runs.base": base.length,
    "runs.candidate": candidate.length,
    "runs.needed": runsNeeded,
    "without-outcome.base": withoutOutcome.base,
    "without-outcome.candidate": withoutOutcome.candidate,
    ...outcomeFigures(outcome),
    "distance.between": distance?.between,
    "distance.p": distance?.test.adjusted,
    ...metricFigures(scenario.metrics),
  };
}

/** The known means per run: "cost.base", "cost.candidate". */
function metricFigures(metrics: readonly MetricFigures[]): Figures {
  const mean = ({ mean }: MetricFigures["base"]): string | undefined =>
    mean === undefined ? undefined : String(Number(mean.toPrecision(6)));
  return Object.fromEntries(
    metrics.flatMap(({ metric, base, candidate }) => [
      [`${metric}.base`, mean(base)],
      [`${metric}.candidate`, mean(candidate)],
    ]),
  );
}

function outcomeFigures(outcome: OutcomeComparison | undefined): Figures {
  if (outcome === undefined) return {};
  const { base, candidate, effect, test, better } = outcome;
  return {
    "success.base": `${base.successes}/${base.runs}`,
    "success.candidate": `${candidate.successes}/${candidate.runs}`,
    "success.effect": effect.value,
    "success.effect.low": effect.low,
    "success.effect.high": effect.high,
    "success.p": test.adjusted,
    "success.better.p": better.adjusted,
  };
}

function missingLines({ onlyBase, onlyCandidate, withoutOutcome }: GateReport): string[] {
  return [
    ...withoutOutcomeLines(withoutOutcome),
    ...onlyBase.map((name) => `only in the baseline: ${name}`),
    ...onlyCandidate.map((name) => `only in the candidate: ${name}`),
  ];
}

function propertiesOf(figures: Figures): string {
  const properties = Object.entries(figures).flatMap(([name, value]) => {
    if (value === undefined) return [];
    // Rounds off the noise of binary fractions.
    const rounded = typeof value === "number" ? Number(value.toFixed(6)) : value;
    return [element("property", { name, value: rounded }, [])];
  });
  return element("properties", {}, properties);
}

/** Writes an element. Escapes the attributes, but not `children`, which must be markup. */
export function element(
  name: string,
  attributes: Record<string, string | number>,
  children: readonly string[],
): string {
  const listed = Object.entries(attributes).map(([key, value]) => ` ${key}="${escapeXml(toVisible(String(value)))}"`);
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

/** Escapes text after `toVisible`, which leaves two code points that XML 1.0 §2.2 forbids. */
export function escapeXml(text: string): string {
  return text
    .replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "")
    .replace(/[\ufffe\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`);
}
