// Writes the gate's findings as SARIF 2.1.0 (OASIS): a result for each verdict that is not "same", and for each cause of failure,
// difference, broken rule and changed offer. A result points to the cassette line where the turn begins. Its fingerprint comes from
// its content, not its place, so other scenarios and moved lines leave it unchanged (§3.27.17).

import { canonicalize, sha256Hex, toVisible, type JsonValue } from "../../core/index.js";
import { sideText } from "../drift/failures.js";
import type { Edit, GateReport, Location, ScenarioReport } from "../drift/gate-report.js";
import { worstFirst } from "../drift/paths/ranking.js";
import { MAX_SARIF_RESULTS } from "../limits.js";
import {
  allowedText,
  failingNames,
  firstEdit,
  headlineFirst,
  otherFailures,
  placeOf,
  placeOfAll,
  placeOfUnpaired,
  turnsOf,
  withoutOutcomeLines,
} from "./facts.js";
import { unpairedBreak } from "../drift/verdict.js";

type Level = "error" | "warning" | "note";

interface Finding {
  ruleId: string;
  level: Level;
  message: string;
  location: Location;
  /** The values that identify the same finding in the next run. */
  identity: JsonValue[];
}

/** Writes a SARIF log with one run. The same report gives the same bytes. */
export function sarifReport(report: GateReport): string {
  const scenarios = worstFirst(report);
  const failing = failingNames(report);
  const all = [
    ...headlineFirst(
      report,
      scenarios.flatMap((scenario) => verdictOf(scenario, failing.has(scenario.scenario))),
      otherFindings(report),
    ),
    ...scenarios.flatMap((scenario) => brokenRules(scenario, failing.has(scenario.scenario))),
    ...scenarios.flatMap((scenario) => differences(scenario, failing.has(scenario.scenario))),
    ...scenarios.flatMap(changedOffers),
  ];
  const kept = all.slice(0, MAX_SARIF_RESULTS);
  const ids = [...new Set(kept.map(({ ruleId }) => ruleId))].sort();
  return sarifLog({
    rules: ids.map((id) => ({
      id,
      shortDescription: { text: DESCRIPTIONS[id] ?? `A difference of the kind ${id.slice(id.indexOf("/") + 1)}.` },
    })),
    columnKind: "utf16CodeUnits",
    originalUriBaseIds: { SRCROOT: { description: { text: "The folder where the command ran." } } },
    invocation: invocationOf(report, all.length),
    results: toResults(kept, ids),
  });
}

/** Writes a log with one run of `cassette drift`. `fields` go between its identity and its invocation. */
export function sarifLog({
  rules,
  invocation,
  results,
  ...fields
}: {
  readonly rules: readonly object[];
  readonly invocation: object;
  readonly results: readonly object[];
  readonly columnKind?: string;
  readonly originalUriBaseIds?: object;
}): string {
  const run = {
    tool: { driver: { name: "cassette drift", rules } },
    automationDetails: { id: "cassette-drift/" },
    ...fields,
    invocations: [invocation],
    results,
  };
  const log = { $schema: "https://json.schemastore.org/sarif-2.1.0.json", version: "2.1.0", runs: [run] };
  return `${JSON.stringify(log, null, 2)}\n`;
}

function invocationOf(report: GateReport, found: number): object {
  const more = found - MAX_SARIF_RESULTS;
  const text = `${more} more results were left out, because a run holds at most ${MAX_SARIF_RESULTS}.`;
  return {
    executionSuccessful: true,
    ...(more > 0 ? { toolExecutionNotifications: [{ level: "warning", message: { text } }] } : {}),
    properties: {
      verdict: report.verdict,
      headline: { ...report.headline, ...visibleParts(report.headline) },
      reason: toVisible(report.reason),
      undecided: report.counts.inconclusive,
      found,
      withoutOutcome: report.withoutOutcome,
    },
  };
}

function visibleParts({ sentence, scenario }: GateReport["headline"]): object {
  return { sentence: toVisible(sentence), ...(scenario === undefined ? {} : { scenario: toVisible(scenario) }) };
}

/** Causes of failure other than a scenario on both sides, and all other scenarios on one side only. */
function otherFindings(report: GateReport): Finding[] {
  const failures = otherFailures(report);
  const whole = failures
    .filter(({ kind }) => kind !== "unpaired")
    .map(({ kind, metric, verdict, reason }): Finding => {
      const ruleId = `verdict/${verdict}`;
      const message = `all scenarios: ${verdict}. ${reason}`;
      return {
        ruleId,
        level: "error",
        message,
        location: placeOfAll(report),
        identity: [kind, ...(metric === undefined ? [] : [metric])],
      };
    });
  const failing = new Map(failures.map((failure) => [failure.scenario, failure]));
  const unpaired = report.unpaired.map((each): Finding => {
    const { scenario, side } = each;
    const failure = failing.get(scenario);
    return {
      ruleId: `verdict/${failure?.verdict ?? "drift"}`,
      level: failure === undefined ? "note" : "error",
      message: `${scenario}: ${failure?.reason ?? unpairedBreak(each) ?? sideText(each)}`,
      location: placeOfUnpaired(each),
      identity: [scenario, side],
    };
  });
  const errors = [...whole, ...unpaired.filter(({ level }) => level === "error")];
  const rank = ({ message }: Finding): number => (message.endsWith(report.reason) ? 0 : 1);
  return [...errors.sort((a, b) => rank(a) - rank(b)), ...unpaired.filter(({ level }) => level !== "error")];
}

function verdictOf(scenario: ScenarioReport, isFailing: boolean): Finding[] {
  const { verdict, reason, typical, withoutOutcome } = scenario;
  if (verdict === "same" && !isFailing) return [];
  const edit = firstEdit(scenario);
  const location = (edit === undefined ? undefined : placeOf(edit)) ?? { file: typical.candidate, turn: 0 };
  const level = isFailing ? "error" : verdict === "inconclusive" || verdict === "better" ? "note" : "warning";
  const message = [`${scenario.scenario}: ${verdict}`, reason, ...withoutOutcomeLines(withoutOutcome)];
  const ruleId = `verdict/${verdict}`;
  return [{ ruleId, level, message: message.join(". "), location, identity: [scenario.scenario] }];
}

/** The broken rules. A rule that the baseline breaks is only a note. */
function brokenRules({ scenario, rules }: ScenarioReport, isFailing: boolean): Finding[] {
  return rules.map(({ rule, side, location, sentence }) => {
    const level = side === "base" ? "note" : isFailing ? "error" : "warning";
    const message = `${scenario}: rule ${rule} is broken in the ${side === "base" ? "baseline" : "candidate"}. ${sentence}`;
    return { ruleId: "rule/broken", level, message, location, identity: [scenario, rule, side] };
  });
}

/** The differences of a scenario, unless it is "same": then its differences are within chance. */
function differences(scenario: ScenarioReport, isFailing: boolean): Finding[] {
  if (scenario.verdict === "same") return [];
  const level = isFailing ? "warning" : "note";
  return scenario.edits.flatMap((edit) => {
    const location = placeOf(edit);
    if (location === undefined) return [];
    const because = edit.becauseOfSchema === true ? " The changed schema explains it." : "";
    const allowed = edit.allowedBy === undefined ? "" : ` ${allowedText(edit)}.`;
    const message = `${scenario.scenario}: ${edit.drift.sentence}${because} (${turnsOf(edit)})${allowed}`;
    return [{ ruleId: `drift/${edit.drift.kind}`, level, message, location, identity: identityOf(scenario, edit) }];
  });
}

function identityOf({ scenario }: ScenarioReport, { drift }: Edit): JsonValue[] {
  const tool = "tool" in drift ? drift.tool : null;
  const pointers = "changes" in drift ? drift.changes.map(({ pointer }) => pointer) : [];
  return [scenario, tool, pointers, "arguments" in drift ? drift.arguments : null];
}

function changedOffers({ scenario, contract, typical }: ScenarioReport): Finding[] {
  return contract.map(({ kind, name, pointer, sentence }) => ({
    ruleId: `contract/${kind}`,
    level: "note",
    message: `${scenario}: ${sentence}`,
    location: { file: typical.candidate, turn: 0 },
    identity: [scenario, name, pointer ?? null],
  }));
}

function toResults(findings: readonly Finding[], ids: readonly string[]): object[] {
  const seen = new Map<string, number>();
  return findings.map(({ ruleId, level, message, location, identity }) => {
    const what = canonicalize([ruleId, ...identity]);
    // Equal findings get a number, in order.
    const ordinal = seen.get(what) ?? 0;
    seen.set(what, ordinal + 1);
    const { file, line, turn } = location;
    const uri = toUriReference(file);
    return {
      ruleId,
      ruleIndex: ids.indexOf(ruleId),
      level,
      message: { text: toVisible(message) },
      locations: [
        {
          physicalLocation: {
            // A relative path starts at the folder where the command ran.
            artifactLocation: uri.startsWith("file:") ? { uri } : { uri, uriBaseId: "SRCROOT" },
            ...(line === undefined ? {} : { region: { startLine: line } }),
          },
          logicalLocations: [{ name: `turn ${turn}`, kind: "member" }],
        },
      ],
      partialFingerprints: { "cassetteDrift/v1": sha256Hex(`${what}#${ordinal}`) },
    };
  });
}

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  "verdict/regression": "The outcomes are worse, or the candidate breaks a rule that the baseline keeps.",
  "verdict/drift": "The runs take other paths than the baseline.",
  "verdict/better": "The outcomes are better than chance explains.",
  "verdict/same": "Nothing differs, but the settings make this verdict fail.",
  "verdict/inconclusive": "Something differs, but there are too few runs to decide.",
  "rule/broken": "A run broke a rule of the rules file.",
  "drift/added": "A tool call that the baseline does not make.",
  "drift/removed": "A tool call that only the baseline makes.",
  "drift/moved": "A tool call at another position.",
  "drift/args-changed": "A tool call with other arguments.",
  "drift/retried": "A tool call that is repeated.",
  "drift/parallelised": "Calls in one turn that the baseline makes in several turns.",
  "drift/serialised": "Calls in several turns that the baseline makes in one turn.",
  "drift/content-changed": "The assistant's text changed.",
  "drift/content-added": "The assistant added text to a turn without text.",
  "drift/content-removed": "The assistant dropped the text of a turn.",
  "drift/stop-changed": "A turn ends for another reason.",
  "contract/tool-added": "A new tool is offered.",
  "contract/tool-removed": "A tool is no longer offered.",
  "contract/schema-changed": "The schema of a tool's arguments changed.",
  "contract/description-changed": "The description of a tool changed.",
  "contract/setting-changed": "A setting of the model changed.",
};

/**
 * Converts a file path to a URI reference (RFC 3986): "a b/c#d.json" as "a%20b/c%23d.json", "/x/y" as "file:///x/y", "C:\\x" as "file:///C:/x".
 * Escapes everything but unreserved characters in a segment, so no name can become a scheme, a query or another folder.
 */
export function toUriReference(path: string): string {
  const slashed = /^[A-Za-z]:[\\/]|^[^/]*\\/.test(path) ? path.replaceAll("\\", "/") : path;
  const drive = /^[A-Za-z]:(?=\/)/.exec(slashed)?.[0];
  if (drive !== undefined) return `file:///${drive}${escaped(slashed.slice(2))}`;
  if (slashed.startsWith("/")) return `file://${escaped(slashed)}`;
  return escaped(slashed.replace(/^(?:\.\/+)+/, ""));
}

function escaped(path: string): string {
  return path
    .toWellFormed()
    .split("/")
    .map((segment) =>
      encodeURIComponent(segment).replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`),
    )
    .join("/");
}
