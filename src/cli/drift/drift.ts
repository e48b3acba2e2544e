// `cassette drift`: judges two sets of runs. Every file is checked before anything is compared. Each recording is reduced to its path
// when it is loaded, and only the two typical runs of a scenario are read again.

import { defined } from "../../core/index.js";
import { createCassetteStore, unpairedHint } from "../../cassette/index.js";
import { runGate, type GateScenario, type GateSettings } from "../../harness/index.js";
import { CliError, type Failure } from "../errors.js";
import { assertSuccessPointer } from "../bless/bless.js";
import { refuseComparison } from "../diff/diff.js";
import { EXIT } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { count, writeJson } from "../terminal/output.js";
import { createProgress } from "../terminal/progress.js";
import { acceptance, reproduceCommand, type FoundFiles } from "./commands.js";
import { noteSides } from "./baseline-notes.js";
import { findSides, loadRuns, type Sides } from "./load.js";
import type { DriftOptions } from "./drift-options.js";
import { assertWritable, writeRefusals, writeReports } from "./outputs.js";

import { openRules, openTolerances } from "../options/tolerances.js";
import { addTypicalRuns } from "./typical-runs.js";

/** Exits 1 for the verdicts of the settings. Throws when there is nothing to compare. */
export async function drift(base: string, candidate: string, options: DriftOptions, io: CommandIo): Promise<void> {
  assertSuccessPointer(options.success);
  const files = filesAt(io);
  await assertWritable(options, files);
  const tolerated = await openTolerances(files, options.tolerances);
  const ruled = await openRules(files, options.rules);
  const sides = await findSides(files, base, candidate);
  if (sides.paired.shared.length === 0) throw nothingShared(base, candidate, sides);
  await noteSides(base, candidate, files, io);
  const store = createCassetteStore(files);
  const given = { tolerances: tolerated?.value, rules: ruled?.value };
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
  const used = defined({ tolerances: tolerated?.file, rules: ruled?.file });
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
  const exitCode = report.fails ? EXIT.drift : EXIT.ok;
  await writeReports(report, options, io);
  if (options.json === true) writeJson(io, "drift", exitCode, report);
  io.exit(exitCode);
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

/** A pointer without a value in any run is a mistake, which would otherwise pass silently. */
function assertOutcomes(scenarios: readonly GateScenario[], { success }: DriftOptions): void {
  if (success === undefined) return;
  const runs = scenarios.flatMap(({ base, candidate }) => [...base, ...candidate]);
  if (runs.some((run) => run.success !== undefined)) return;
  throw new CliError(
    "nothing-to-compare",
    `no run has true, false or a number at ${JSON.stringify(success)} of its outcome`,
    "The pointer is into extensions.outcome or extensions.import.outcome. npx cassette show --json prints both.",
  );
}

async function refuse(
  failures: readonly Failure[],
  sides: { base: string; candidate: string },
  options: DriftOptions,
  io: CommandIo,
): Promise<void> {
  const refused = failures.map(({ code, message, file }) => ({ code, message, ...defined({ file }) }));
  await writeRefusals({ ...sides, refused }, options, io);
  refuseComparison("drift", failures, options, io);
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
      : "Give the folders directly above the shared paths. A scenario is a path below them without .cassette.json and the run's number.",
  );
}
