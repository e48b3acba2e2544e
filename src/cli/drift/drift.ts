// `cassette drift`: two sets of runs, judged. Every file is checked before anything is compared; each recording is reduced to
// its path while it is loaded, and only the two typical runs of a scenario are read again.

import { defined, parsePointer } from "../../core/index.js";
import { createCassetteStore, unpairedHint } from "../../cassette/index.js";
import { runGate, type GateReport, type GateScenario, type GateSettings } from "../../harness/index.js";
import { CliError, type Failure } from "../errors.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { count, toJsonError, writeFailure, writeJson } from "../terminal/output.js";
import { createProgress } from "../terminal/progress.js";
import { acceptance, reproduceCommand, type FoundFiles } from "./commands.js";
import { noteSides } from "./baseline-notes.js";
import { findSides, loadRuns, type Sides } from "./load.js";
import type { DriftOptions } from "./drift-options.js";
import { assertWritable, writeRefusals, writeReports } from "./outputs.js";
import { openRules } from "../options/rules.js";
import { openTolerances } from "../options/tolerances.js";
import { addTypicalRuns } from "./typical-runs.js";

/** Judges two sides, and exits 1 where the settings say so. Throws when there is nothing to compare. */
export async function drift(base: string, candidate: string, options: DriftOptions, io: CommandIo): Promise<void> {
  assertPointer(options);
  const files = filesAt(io);
  await assertWritable(options, files);
  const tolerated = await openTolerances(files, options.tolerances);
  const ruled = await openRules(files, options.rules);
  const sides = await findSides(files, base, candidate);
  if (sides.paired.shared.length === 0) throw nothingShared(base, candidate, sides);
  await noteSides(base, candidate, files, io);
  const store = createCassetteStore(files);
  const given = { tolerances: tolerated?.tolerances, rules: ruled?.rules };
  const loading = createProgress(io, "loading");
  const { scenarios, unpaired, failures, broken, unfit } = await loadRuns(
    { store, files },
    sides.paired,
    { ...options, ...given },
    loading,
  );
  loading.clear();
  if (failures.length > 0) {
    await refuse(failures, { base, candidate }, options, io);
    return;
  }
  assertOutcomes(scenarios, options);
  const used = {
    ...(tolerated === undefined ? {} : { tolerances: tolerated.file }),
    ...(ruled === undefined ? {} : { rules: ruled.file }),
  };
  const settings = toSettings(options, used);
  const comparing = createProgress(io, "comparing");
  const judged = runGate(
    {
      base,
      candidate,
      scenarios,
      unpaired,
      settings,
      rules: broken,
      commands: {
        reproduce: reproduceCommand(base, candidate, options, used),
        ...acceptance(sides.targets, options, unfit, io.cwd),
      },
    },
    (done, total) => comparing.step(done, total),
  );
  comparing.clear();
  const report = await addTypicalRuns(judged, { store, files, tolerances: given.tolerances }, io);
  await finish(report, options, io);
}

async function finish(report: GateReport, options: DriftOptions, io: CommandIo): Promise<void> {
  const exitCode = report.fails ? EXIT.drift : EXIT.ok;
  await writeReports(report, options, io);
  if (options.json === true) writeJson(io, "drift", exitCode, report);
  io.exit(exitCode);
}

function assertPointer({ success }: DriftOptions): void {
  if (success === undefined || parsePointer(success) !== undefined) return;
  throw new CliError(
    "usage",
    `--success ${JSON.stringify(success)} is no JSON pointer`,
    'Give one into the outcome, such as "/reward".',
  );
}

function toSettings(options: DriftOptions, used: FoundFiles): GateSettings {
  const { failOn, onInconclusive, alpha, minRuns, seed, order, content, ignore, readOnly, success, sharedOnly } =
    options;
  return {
    alpha,
    minRuns,
    failOn,
    onInconclusive,
    seed,
    order,
    content: content === true,
    ...(ignore.length === 0 ? {} : { ignore }),
    ...(readOnly.length === 0 ? {} : { readOnly }),
    ...defined({ success }),
    ...(sharedOnly === true ? { sharedOnly } : {}),
    ...used,
  };
}

/** A pointer that no run answers to is a slip of the pen; without this the gate would go without outcomes in silence. */
function assertOutcomes(scenarios: readonly GateScenario[], { success }: DriftOptions): void {
  if (success === undefined) return;
  const isTold = scenarios.some(({ base, candidate }) =>
    [...base, ...candidate].some((run) => run.success !== undefined),
  );
  if (isTold) return;
  throw new CliError(
    "nothing-to-compare",
    `no run has true, false or a number at ${JSON.stringify(success)} of its outcome`,
    "The pointer leads into extensions.outcome or extensions.import.outcome; `cassette show --json` prints both.",
  );
}

/** Says every file that cannot be compared; an integrity failure among them decides the exit code. */
async function refuse(
  failures: readonly Failure[],
  sides: { base: string; candidate: string },
  options: DriftOptions,
  io: CommandIo,
): Promise<void> {
  const { json } = options;
  const isRefused = failures.some((failure) => failure.exitCode === EXIT.integrity);
  const exitCode: ExitCode = isRefused ? EXIT.integrity : EXIT.failed;
  io.exit(exitCode);
  const refused = failures.map(({ code, message, file }) => ({
    code,
    message,
    ...defined({ file }),
  }));
  await writeRefusals({ ...sides, refused }, options, io);
  if (json === true) {
    const worst = failures.find((failure) => failure.exitCode === exitCode) as Failure;
    writeJson(io, "drift", exitCode, { error: toJsonError(worst), refused: failures.map(toJsonError) });
    return;
  }
  for (const failure of failures) writeFailure(io, failure);
  if (failures.length > 1) io.stderr(`${count(failures.length, "cassette")} cannot be compared, so nothing was.\n`);
}

function nothingShared(base: string, candidate: string, { paired, names }: Sides): CliError {
  const of = (wanted: "base" | "candidate"): string[] =>
    paired.unpaired.flatMap(({ side, scenario }) => (side === wanted ? [scenario] : []));
  const sides = [
    `${base} has ${count(names.base, "cassette")} of ${count(of("base").length, "scenario")}`,
    `${candidate} has ${count(names.candidate, "cassette")} of ${count(of("candidate").length, "scenario")}`,
  ];
  const hint = unpairedHint(of("base"), of("candidate"));
  return new CliError(
    "nothing-to-compare",
    `nothing to compare: no scenario is on both sides; ${sides.join(", ")}`,
    hint !== ""
      ? `${hint[0]?.toUpperCase() ?? ""}${hint.slice(1)}.`
      : "Give the folders right above what they share. A scenario is a path below them without .cassette.json and the run's number.",
  );
}
