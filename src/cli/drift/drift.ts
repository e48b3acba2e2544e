// `cassette drift`: judges two sets of runs. Every file is checked before anything is compared. Each recording is reduced to its path
// when it is loaded, and only the two typical runs of a scenario are read again.

import { join, resolve } from "node:path";
import { getHeapStatistics } from "node:v8";
import { defined, type FilePort } from "../../core/index.js";
import {
  createTurnPricer,
  readPrices,
  unpairedHint,
  ACCEPTED_FILE,
  CassetteError,
  DEFAULT_MAX_FILE_BYTES,
  parseAcceptances,
  parseDiffOptions,
} from "../../cassette/index.js";
import {
  assertFits,
  isScore,
  judgeGate,
  listText,
  MAX_SCORES,
  type GateRefusal,
  type GateReport,
  type GateSettings,
  type MeasuredScenario,
} from "../../harness/index.js";
import { CliError, toFailure, usageError, type Failure } from "../errors.js";
import { assertSuccessPointer } from "../bless/bless.js";
import { refuseComparison } from "../diff/diff.js";
import { EXIT } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { count, writeJson, createNotes } from "../terminal/output.js";
import { acceptance, reproduceCommand, type FoundFiles, type DriftOptions } from "./commands.js";
import { findSides, loadAndTest, type Sides } from "./load.js";
import { assertWritable, writeCandidates, writeRefusals, writeReports } from "./outputs.js";
import { whyUnread } from "../options/file.js";
import { openRules, openTolerances } from "../options/tolerances.js";
import { addTypicalRuns } from "./typical-runs.js";
import { findUnexplained, unexplainedText } from "../bless/accepted.js";
import { findTarget } from "../options/recordings.js";

/** Exits 1 for the verdicts of the settings. Throws when there is nothing to compare. Several candidates share alpha. */
export async function drift(
  base: string | undefined,
  candidates: readonly string[],
  options: DriftOptions,
  io: CommandIo,
): Promise<void> {
  if (base === undefined || candidates.length === 0) {
    const what = base === undefined ? "no baseline was given" : "no candidate was given";
    throw usageError(what, "Name both: cassette drift BASE CANDIDATE. --history FOLDER shows past reports instead.");
  }
  assertSuccessPointer(options.success);
  const { ignore, readOnly } = options;
  parseDiffOptions({ ignore, readOnly });
  await assertWritable(options, candidates.length, io, [base, ...candidates]);
  const twice = candidates.find((each, index) => candidates.indexOf(each) < index);
  if (twice !== undefined) throw usageError(`the candidate ${twice} is named twice`, "Name each candidate once.");
  const judged = await judgeAll(base, candidates, options, io).catch(async (error: unknown) => {
    if (options.force === true) await replaceOldReports(error, { base, candidates }, options, io);
    throw error;
  });
  if (judged.kind === "refused") {
    await writeRefusals(judged.refusal, candidates.length, options, io);
    refuseComparison("drift", judged.failures, options, io);
    return;
  }
  const { reports } = judged;
  const exitCode = reports.some(({ fails }) => fails) ? EXIT.drift : EXIT.ok;
  const [only] = reports;
  if (only !== undefined && reports.length === 1) await writeReports(only, options, io);
  else await writeCandidates({ alpha: options.alpha, reports }, options, io);
  if (options.json === true)
    writeJson(io, "drift", exitCode, reports.length === 1 ? { ...only } : { alpha: options.alpha, reports });
  io.exit(exitCode);
}

/** Replaces the reports of an earlier run with the error that stopped this one. */
async function replaceOldReports(
  thrown: unknown,
  { base, candidates }: { base: string; candidates: readonly string[] },
  options: DriftOptions,
  io: CommandIo,
): Promise<void> {
  const { code, message, file } = toFailure(thrown);
  const refusal = { base, candidate: candidates.join(", "), refused: [{ code, message, ...defined({ file }) }] };
  const reporter = options.reporter.filter(({ out }) => out !== undefined);
  await writeRefusals(refusal, candidates.length, { ...options, reporter }, io);
}

type JudgedAll = { kind: "judged"; reports: GateReport[] } | Refused;

/** The reports of all candidates, or the refused recordings of the first candidate that has some. */
async function judgeAll(
  base: string,
  candidates: readonly string[],
  options: DriftOptions,
  io: CommandIo,
): Promise<JudgedAll> {
  const files = filesAt(io);
  const terms = await readTerms(files, options);
  const pairs: Pair[] = [];
  for (const candidate of candidates) {
    const sides = await findSides(files, base, candidate);
    if (sides.paired.shared.length === 0) throw nothingShared(base, candidate, sides);
    pairs.push({ base, candidate, sides });
  }
  const shared = pairs.flatMap(({ sides }) => sides.paired.shared);
  assertFits(shared, getHeapStatistics().heap_size_limit);
  const reports: GateReport[] = [];
  const alpha = options.alpha / candidates.length;
  for (const pair of pairs) {
    const judged = await judge(pair, { ...options, alpha }, terms, io);
    if (judged.kind === "refused") return judged;
    reports.push(judged.report);
  }
  return { kind: "judged", reports };
}

/** The files that the options name. */
async function readTerms(files: FilePort, options: DriftOptions) {
  const tolerated = await openTolerances(files, options.tolerances);
  const ruled = await openRules(files, options.rules);
  const price = createTurnPricer(options.prices === undefined ? {} : await readPrices(files, options.prices));
  return { tolerated, ruled, price };
}

interface Pair {
  base: string;
  candidate: string;
  sides: Sides;
}

interface Refused {
  kind: "refused";
  refusal: GateRefusal;
  failures: readonly Failure[];
}

type Judged = { kind: "judged"; report: GateReport } | Refused;

async function judge(
  { base, candidate, sides }: Pair,
  options: DriftOptions,
  { tolerated, ruled, price }: Awaited<ReturnType<typeof readTerms>>,
  io: CommandIo,
): Promise<Judged> {
  const files = filesAt(io);
  await noteSides(base, candidate, files, io);
  const { ignore, readOnly, order, content, success, seed } = options;
  const compared = { ignore, readOnly, order, content: content === true, success };
  const named = { tolerances: options.tolerances, rules: options.rules, prices: options.prices };
  const measured = { seed, alpha: options.alpha, scenarios: sides.paired.shared.length };
  const loading = { cwd: io.cwd, ...compared, ...named, ...measured };
  const terms = { tolerances: tolerated?.value, rules: ruled?.value, price };
  const loaded = await loadAndTest(sides.paired, loading, terms, { threads: options.jobs, io });
  const { scenarios, unpaired, failures, broken, unfit, judges, tests } = loaded;
  if (failures.length > 0) {
    const refused = failures.map(({ code, message, file }) => ({ code, message, ...defined({ file }) }));
    return { kind: "refused", refusal: { base, candidate, refused }, failures };
  }
  if (judges > 0) createNotes(io)(`note: ${count(judges, "recording")} of judges left out of the comparison`);
  if (scenarios.length === 0) throw nothingButJudges(base, candidate);
  assertOutcomes(scenarios, options);
  assertScores(scenarios, options);
  const used = defined({ tolerances: tolerated?.file, rules: ruled?.file });
  const settings = toSettings(options, used);
  const reproduce = reproduceCommand(base, candidate, options, used);
  const commands = { reproduce, ...acceptance(sides.targets, options, unfit, io.cwd) };
  const judged = judgeGate({ base, candidate, scenarios, unpaired, settings, rules: broken, commands, tests });
  const sources = { files, tolerances: tolerated?.value };
  return { kind: "judged", report: await addTypicalRuns(judged, sources, io) };
}

function toSettings(options: DriftOptions, used: FoundFiles): GateSettings {
  const { onInconclusive, alpha, minRuns, seed, order, content, ignore, readOnly, success, sharedOnly } = options;
  const { failOn, thresholds } = options.failOn;
  return {
    alpha,
    minRuns,
    failOn,
    ...(thresholds.length === 0 ? {} : { thresholds }),
    onInconclusive,
    seed,
    order,
    content: content === true,
    ...(ignore.length === 0 ? {} : { ignore }),
    ...(readOnly.length === 0 ? {} : { readOnly }),
    ...defined({ success, prices: options.prices }),
    ...(sharedOnly === true ? { sharedOnly } : {}),
    ...used,
  };
}

/** A pointer without a value in any run is a mistake, which would otherwise pass silently. */
function assertOutcomes(scenarios: readonly MeasuredScenario[], { success }: DriftOptions): void {
  if (success === undefined) return;
  const runs = scenarios.flatMap(({ base, candidate }) => [...base, ...candidate]);
  if (runs.some((run) => run.success !== undefined)) return;
  throw new CliError(
    "nothing-to-compare",
    `no run has true, false or a number at ${JSON.stringify(success)} of its outcome`,
    "The pointer is into extensions.outcome or extensions.import.outcome. npx playhead show --json prints both.",
  );
}

/** A threshold of a score that no run has is a mistake, which would otherwise pass silently. */
function assertScores(scenarios: readonly MeasuredScenario[], { failOn: { thresholds } }: DriftOptions): void {
  const runs = scenarios.flatMap(({ base, candidate }) => [...base, ...candidate]);
  const names = [...new Set(runs.flatMap(({ scores }) => [...(scores?.keys() ?? [])]))].sort();
  const known = names.length === 0 ? "No run has a score" : `The scores are ${listText(names)}`;
  if (names.length > MAX_SCORES) {
    const what = `the runs have ${names.length} different scores, and ${MAX_SCORES} is the limit`;
    throw new CliError("nothing-to-compare", what, `${known}. Give the same score the same name in every test.`);
  }
  const missing = thresholds.find(({ metric }) => isScore(metric) && !names.includes(metric.slice("score:".length)));
  if (missing === undefined) return;
  const what = `--fail-on names ${missing.metric}, which no run has`;
  throw new CliError("nothing-to-compare", what, `${known}. A test records one with score(name, value).`);
}

function nothingShared(base: string, candidate: string, { paired, names }: Sides): CliError {
  const of = (wanted: "base" | "candidate"): string[] =>
    paired.unpaired.flatMap(({ side, scenario }) => (side === wanted ? [scenario] : []));
  const sides = [
    `${base} has ${count(names.base, "cassette")} of ${count(of("base").length, "scenario")}`,
    `${candidate} has ${count(names.candidate, "cassette")} of ${count(of("candidate").length, "scenario")}`,
  ];
  const hint = unpairedHint(of("base"), of("candidate"));
  const scenario = "A scenario is a path below them without .cassette.json and the run's number.";
  return new CliError(
    "nothing-to-compare",
    `nothing to compare: no scenario is on both sides; ${sides.join(", ")}`,
    hint === ""
      ? `Give the folders directly above the shared paths. ${scenario}`
      : `${hint.charAt(0).toUpperCase()}${hint.slice(1)}.`,
  );
}

function nothingButJudges(base: string, candidate: string): CliError {
  return new CliError(
    "nothing-to-compare",
    `nothing to compare: ${base} and ${candidate} share only recordings of judges`,
    "Name the folders with the runs that were judged. npx playhead diff compares recordings of judges.",
  );
}

/** Warns if both sides are the same folder, and about runs of a baseline without a reason. */
async function noteSides(base: string, candidate: string, files: FilePort, io: CommandIo): Promise<void> {
  const note = createNotes(io);
  if (resolve(io.cwd, base) === resolve(io.cwd, candidate)) {
    note("warning: both sides are ", base, ", so nothing can differ");
  }
  const target = await findTarget(files, base);
  if (target.kind !== "folder") return;
  const file = join(base, ACCEPTED_FILE);
  const read = await files.read(file, DEFAULT_MAX_FILE_BYTES);
  if (read.kind === "not-found") return;
  if (read.kind !== "read") {
    note("warning: ", file, ` ${whyUnread(read, DEFAULT_MAX_FILE_BYTES)}`);
    return;
  }
  try {
    const lines = parseAcceptances(new TextDecoder().decode(read.bytes), file);
    const unexplained = findUnexplained(target.names, lines);
    if (unexplained.length > 0) note("warning: in ", base, " ", unexplainedText(unexplained));
  } catch (error) {
    if (!(error instanceof CassetteError)) throw error;
    note("warning: ", file, " cannot be read: ", error.summary);
  }
}
