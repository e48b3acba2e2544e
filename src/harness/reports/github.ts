// Writes the gate's findings as workflow commands of GitHub Actions. These need no token, so they work for pull requests from forks.
// GitHub keeps ten annotations of a kind per step. The tenth counts the rest.

import { defined, toVisible } from "../../core/index.js";
import type { GateReport, Location, ScenarioReport } from "../drift/gate-report.js";
import { worstFirst } from "../drift/paths/ranking.js";
import { MAX_ANNOTATIONS } from "../limits.js";
import { atMost } from "../text/at-most.js";
import {
  allowedText,
  failingNames,
  firstEdit,
  headlineFirst,
  lossLines,
  otherFailures,
  placeOf,
  placeOfAll,
  placeOfUnpaired,
  undecidedText,
  withoutOutcomeLines,
} from "./facts.js";

const KINDS = ["error", "warning", "notice"] as const;
type Kind = (typeof KINDS)[number];

interface Annotation {
  kind: Kind;
  title: string;
  message: string;
  location: Location | undefined;
}

/** Writes one `::error …::`, `::warning …::` or `::notice …::` line per finding, and a last line with the verdict. */
export function githubReport(report: GateReport): string {
  const failing = failingNames(report);
  const ofScenarios = worstFirst(report).flatMap((each) => annotationsOf(each, failing.has(each.scenario)));
  const annotations = headlineFirst(report, ofScenarios, otherAnnotations(report));
  const lines = KINDS.flatMap((kind) => {
    const ofKind = annotations.filter((annotation) => annotation.kind === kind);
    return atMost(ofKind, MAX_ANNOTATIONS, command, (more) => {
      return command({ kind, title: "cassette drift", message: `and ${more} more`, location: undefined });
    });
  });
  const end = [
    report.fails ? "The gate fails" : "The gate passes",
    ...(undecidedText(report) === "" ? [] : [undecidedText(report)]),
    ...withoutOutcomeLines(report.withoutOutcome),
  ];
  const [said, reason] = [report.headline.sentence, report.reason].map((text) => toVisible(text).replace(/\.$/, ""));
  const last = `cassette drift: ${report.verdict}. ${said ?? ""}. ${reason ?? ""}. ${end.join(". ")}.`;
  return `${[...lines, last].join("\n")}\n`;
}

function otherAnnotations(report: GateReport): Annotation[] {
  const places = new Map(report.unpaired.map((each) => [each.scenario, placeOfUnpaired(each)]));
  return otherFailures(report).map(({ verdict, scenario, reason }): Annotation => {
    const location = scenario === undefined ? placeOfAll(report) : places.get(scenario);
    return { kind: "error", title: `${scenario ?? "all scenarios"}: ${verdict}`, message: reason, location };
  });
}

function annotationsOf(scenario: ScenarioReport, isFatal: boolean): Annotation[] {
  const { verdict, reason, rules, withoutOutcome } = scenario;
  const broken = rules
    .filter(({ side }) => side === "candidate")
    .map(({ rule, location, sentence }): Annotation => {
      const title = `${scenario.scenario}: rule ${rule}`;
      return { kind: isFatal ? "error" : "warning", title, message: sentence, location };
    });
  if (verdict === "same" && !isFatal) return broken;
  const edit = firstEdit(scenario);
  const location = edit === undefined ? { file: scenario.typical.candidate, turn: 0 } : placeOf(edit);
  const message = [
    reason,
    ...withoutOutcomeLines(withoutOutcome),
    ...lossLines(scenario),
    ...(edit === undefined ? [] : [`First divergence: ${edit.drift.sentence}`]),
    ...(edit?.allowedBy === undefined ? [] : [allowedText(edit)]),
  ].join("\n");
  const kind = isFatal ? "error" : verdict === "inconclusive" || verdict === "better" ? "notice" : "warning";
  return [{ kind, title: `${scenario.scenario}: ${verdict}`, message, location }, ...broken];
}

function command({ kind, title, message, location }: Annotation): string {
  const fields = Object.entries(defined({ file: location?.file, line: location?.line, title }));
  const properties = fields.map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
  return `::${kind} ${properties.join(",")}::${escapeData(message.split("\n").map(toVisible).join("\n"))}`;
}

/** Escapes a message as `@actions/core` does. */
export function escapeData(text: string): string {
  return text.replaceAll("%", "%25").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}

export function escapeProperty(text: string): string {
  return escapeData(toVisible(text)).replaceAll(":", "%3A").replaceAll(",", "%2C");
}
