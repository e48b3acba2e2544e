// The commands that make a report again, and that accept its candidate.

import { basename, dirname, resolve } from "node:path";
import { shellText, scenarioOf, thresholdText, type GateReport, type GateSettings } from "../../harness/index.js";
import { isWithin } from "../../host/index.js";
import type { Target } from "../options/recordings.js";
import type { ComparisonFlags } from "../options/comparison.js";
import type { FileFlag } from "../options/tolerances.js";
import type { ReportTarget } from "./outputs.js";

/** The value of `--fail-on`. */
export interface FailOn {
  failOn: GateSettings["failOn"];
  thresholds: NonNullable<GateSettings["thresholds"]>;
}

export interface DriftOptions extends ComparisonFlags {
  failOn: FailOn;
  prices?: string;
  onInconclusive: GateSettings["onInconclusive"];
  alpha: number;
  minRuns: number;
  seed: number;
  success?: string;
  sharedOnly?: boolean;
  rules?: FileFlag;
  reporter: ReportTarget[];
  force?: boolean;
  jobs?: number;
}

/** The same comparison: the same sides with every setting that decides the result, default files included. */
export function reproduceCommand(base: string, candidate: string, options: DriftOptions, found: FoundFiles): string {
  const { success, order, content, sharedOnly } = options;
  const words = [
    ...setting("--fail-on", failOnText(options.failOn), "regression,drift"),
    ...setting("--on-inconclusive", options.onInconclusive, "pass"),
    ...setting("--alpha", String(options.alpha), "0.05"),
    ...setting("--min-runs", String(options.minRuns), "2"),
    ...setting("--seed", String(options.seed), "1"),
    ...(options.prices === undefined ? [] : ["--prices", options.prices]),
    ...(success === undefined ? [] : ["--success", success]),
    ...options.ignore.flatMap((place) => ["--ignore", place]),
    ...options.readOnly.flatMap((tool) => ["--read-only", tool]),
    ...setting("--order", order, "strict"),
    ...(content === true ? ["--content"] : []),
    ...(sharedOnly === true ? ["--shared-only"] : []),
    ...fileFlag("tolerances", options.tolerances, found.tolerances),
    ...fileFlag("rules", options.rules, found.rules),
  ];
  return ["cassette", "drift", base, candidate, ...words].map(shellText).join(" ");
}

function failOnText({ failOn, thresholds }: FailOn): string {
  return [failOn.join(",") || "none", ...thresholds.map(thresholdText)].join(",");
}

export interface FoundFiles {
  tolerances?: string;
  rules?: string;
}

export interface SideTargets {
  base: Target;
  candidate: Target;
}

/** Reasons why loaded candidate runs cannot be accepted, counted. */
export interface Unfit {
  failed: number;
  brokenOff: number;
  /** Of version 1, which has no hashes of its contents. */
  unproven: number;
  refused: number;
}

/** The command that accepts the candidate, or why it cannot be accepted. */
export function acceptance(
  { base, candidate }: SideTargets,
  { success }: DriftOptions,
  unfit: Unfit,
  cwd: string,
): Omit<GateReport["commands"], "reproduce"> {
  const why = whyUnfit(unfit) ?? whyMisplaced({ base, candidate }, cwd);
  if (why !== undefined) return { notBlessed: why };
  const words = ["cassette", "bless", candidate.path, "--into", folderOf(base)].map(shellText);
  const where = success === undefined ? [] : ["--success", shellText(success)];
  return { bless: [...words, ...where, "--reason", '"…"'].join(" ") };
}

function whyUnfit({ failed, brokenOff, unproven, refused }: Unfit): string | undefined {
  const runs = (count: number): string => `${count} of the candidate's runs`;
  if (failed > 0) return `${runs(failed)} failed, and a failing run is never accepted`;
  if (brokenOff > 0) return `${runs(brokenOff)} recorded an error and no success`;
  if (unproven > 0) return `${runs(unproven)} ${unproven === 1 ? "is" : "are"} of version 1, which proves nothing`;
  return refused > 0 ? `${runs(refused)} cannot be loaded` : undefined;
}

function whyMisplaced({ base, candidate }: SideTargets, cwd: string): string | undefined {
  if (isWithin(resolve(cwd, folderOf(base)), resolve(cwd, candidate.path)))
    return "the candidate is in the folder of the baseline";
  const isPair = base.kind === "file" && candidate.kind === "file";
  if (!isPair || scenarioOf(basename(base.path)) === scenarioOf(basename(candidate.path))) return undefined;
  return "a run is accepted under the name of its scenario, and these two files have different ones";
}

function folderOf({ kind, path }: Target): string {
  return kind === "folder" ? path : dirname(path);
}

function fileFlag(name: string, flag: string | false | undefined, found: string | undefined): string[] {
  if (flag === false) return [`--no-${name}`];
  return found === undefined ? [] : [`--${name}`, found];
}

function setting(flag: string, value: string, usual: string): string[] {
  return value === usual ? [] : [flag, value];
}
