// `cassette mutate --job`: several machines take the mutants from a store. Each machine runs the tests without a change first, and prints
// the result of all.

import { hashJson, isPlainObject, plural, type JsonObject } from "../../core/index.js";
import { MAX_FLEET_CELLS, type FleetStore } from "../../host/index.js";
import { CliError, usageError } from "../errors.js";
import { EXIT } from "../exit-codes.js";
import { damagedPlan, unusable, type JobPlan } from "../job/plan.js";
import { settledUnits, workOn, type Work } from "../job/work.js";
import type { CommandIo } from "../terminal/io.js";
import { createNotes, writeJson } from "../terminal/output.js";
import { printFindings, toDocument, type Findings } from "./findings.js";
import { toFindings } from "./merge.js";
import { judge } from "./choose.js";
import type { Plan } from "./report-file.js";
import { toTrial, type Trial } from "./trial.js";

type Times = Pick<Findings, "baselineMs" | "timeoutMs">;

/** What the trials of a job say together. */
interface Settled extends Times {
  readonly trials: Map<string, Trial>;
  /** Mutants without a trial, with the reason. */
  readonly lost: readonly string[];
}

export interface MutateWork extends Pick<Work, "concurrency" | "isOver"> {
  readonly ids: readonly string[];
  readonly times: Times;
  /** Undefined if a signal ended it. */
  runOne(index: number): Promise<Trial | undefined>;
}

export function toJobPlan(job: string, { cassettes, kinds, command, ...rest }: MutateTerms): JobPlan {
  const { suite, ids, seed, max } = rest;
  const left = suite.leftOut.map(({ file, why }) => ({ file, why }));
  return {
    of: "mutate",
    job,
    plan: {
      ...{ command: [...command], seed, kinds: [...kinds], max, cassettes: { ...cassettes } },
      // Another version of this program may make other mutants of the same cassettes.
      ...{ mutants: hashJson([...ids]), unused: [...suite.unused], leftOut: left },
    },
  };
}

interface MutateTerms extends Pick<Plan, "seed" | "kinds" | "command" | "cassettes"> {
  readonly max: number;
  readonly ids: readonly string[];
  readonly suite: Pick<Findings["suite"], "unused" | "leftOut">;
}

/** Runs mutants until none is left, or until it is over. Resolves with the results of all machines. */
export async function runJob(store: FleetStore, plan: JobPlan, work: MutateWork): Promise<Settled> {
  const { ids: units, concurrency, isOver, times } = work;
  if (units.length > MAX_FLEET_CELLS)
    throw usageError(`a job has ${units.length} mutants`, `The limit is ${MAX_FLEET_CELLS}. Use a smaller --max.`);
  const doUnit: Work["doUnit"] = async (index) => {
    const trial = await work.runOne(index);
    return trial === undefined ? undefined : { text: JSON.stringify({ ...trial, ...times }) };
  };
  await workOn(store, { plan, units, concurrency, isOver, doUnit });
  return readSettled(store, plan.job);
}

async function readSettled(store: FleetStore, job: string): Promise<Settled> {
  const trials = new Map<string, Trial>();
  const lost: string[] = [];
  let times: Times = { baselineMs: 0, timeoutMs: 0 };
  for await (const { unit, ...result } of settledUnits(store, job)) {
    if ("why" in result) {
      lost.push(`mutant ${unit} (${result.why})`);
      continue;
    }
    const { trial, baselineMs, timeoutMs } = parseResult(unit, result.text);
    trials.set(unit, trial);
    times = {
      baselineMs: Math.max(times.baselineMs, baselineMs),
      timeoutMs: Math.max(times.timeoutMs, timeoutMs),
    };
  }
  return { trials, lost, ...times };
}

function parseResult(unit: string, text: string): Times & { trial: Trial } {
  try {
    const value = JSON.parse(text) as JsonObject;
    const trial = toTrial(value);
    const { baselineMs, timeoutMs } = value;
    if (trial !== undefined && typeof baselineMs === "number" && typeof timeoutMs === "number")
      return { trial, baselineMs, timeoutMs };
  } catch {
    // The error below says it.
  }
  throw unusable(
    `the result of mutant ${unit} in the store is damaged`,
    "Something else has changed it. Use a new --job.",
  );
}

/** As `judge`, but a mutant without a trial allows no conclusion. */
export function judgeJob({ trials, lost }: Settled, io: CommandIo): number {
  for (const what of lost) createNotes(io)(`cassette mutate: not run: ${what}`);
  const exitCode = judge(trials);
  return exitCode === EXIT.ok && lost.length > 0 ? EXIT.failed : exitCode;
}

/** Exits 1 if a mutant survived on any machine. Throws `report-unusable` for mutants without a trial, unless they are allowed. */
export async function mergeMutateJob(
  store: FleetStore,
  { job, plan }: JobPlan,
  { json = false, allowMissing = false }: { json?: boolean; allowMissing?: boolean },
  io: CommandIo,
): Promise<void> {
  if (!isMutatePlan(plan)) throw damagedPlan(job);
  const settled = await readSettled(store, job);
  const { seed, kinds, command, cassettes, max, unused, leftOut } = plan;
  const part = { shard: 1, shards: 1, max, unused, leftOut, ...settled };
  const findings = await toFindings({ seed, kinds, command, cassettes }, [part], settled.trials, io);
  const missing = findings.chosen.length - settled.trials.size;
  if (missing > 0 && !allowMissing) {
    const hint =
      "Run the command of the job again on any machine. Where a reason is given, use a new --job or --allow-missing.";
    const why = settled.lost.length === 0 ? "" : `: ${settled.lost.join(", ")}`;
    throw new CliError("report-unusable", `job ${job} is not complete: ${plural(missing, "mutant")} left${why}`, hint);
  }
  const exitCode = judgeJob(settled, io);
  io.exit(exitCode);
  if (json) writeJson(io, "mutate", exitCode, { ...toDocument(findings), stoppedBy: null });
  else printFindings(findings, io);
}

function isMutatePlan(plan: object): plan is Plan & { max: number } & Findings["suite"] {
  const { seed, kinds, command, cassettes, max, unused, leftOut } = plan as Partial<Record<string, unknown>>;
  const areTexts = (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === "string");
  const areLists =
    [[seed], kinds, command, unused].every(areTexts) && Array.isArray(leftOut) && typeof max === "number";
  if (!areLists || !isPlainObject(cassettes) || !areTexts(Object.values(cassettes))) return false;
  return leftOut.every((one) => isPlainObject(one) && areTexts([one["file"], one["why"]]));
}
