// `cassette step-check`: checks each recording of a file or folder, with limits that all share. Answers are kept as they arrive, so an
// interrupted run continues, and a finished one sends no request.

import { basename, join, resolve } from "node:path";
import {
  CASSETTE_SUFFIX,
  CassetteError,
  createCassetteStore,
  secretsOf,
  withValues,
  type Cassette,
  type CassetteStore,
} from "../../cassette/index.js";
import { defined, type FilePort, type LlmToolDefinition, type Rate } from "../../core/index.js";
import {
  createStepGate,
  HarnessError,
  stepCheck,
  summariseSteps,
  type StepCheck,
  type StepCheckOptions,
  type StepGate,
} from "../../harness/index.js";
import { CliError, noCassettesIn, toFailure, usageError, type Failure } from "../errors.js";
import { EXIT, type ExitCode } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { count, createNotes, createPrinter, writeJson } from "../terminal/output.js";
import { createProgress, type Progress } from "../terminal/progress.js";
import { findTarget, loadRecording, pathIn, type Target } from "../options/recordings.js";
import { openTolerances, type OpenTolerances, type FileFlag } from "../options/tolerances.js";
import { rateOf, toSource } from "./provider.js";
import { printSteps, toDocument, type CheckedFile, type StepFindings } from "./report.js";
import { readTools } from "./tools.js";

export interface StepCheckFlags {
  /** Absent with `replay` alone. */
  provider?: string;
  baseUrl?: string;
  keyEnv?: string;
  record?: string;
  replay?: string;
  tools?: string;
  maxCost?: number;
  price?: Rate;
  allowUnknownCost?: boolean;
  maxTurns?: number;
  concurrency: number;
  timeout: number;
  minAgreement: number;
  tolerances?: FileFlag;
  json?: boolean;
}

/** Exits 1 if too few turns agree or some failed, 2 if nothing was compared, 3 if a cassette was refused. */
export async function stepCheckCassettes(path: string, flags: StepCheckFlags, io: CommandIo): Promise<void> {
  assertModelOrAnswers(flags);
  const files = filesAt(io);
  const sources = sourcesOf(await findTarget(files, path), flags.record ?? flags.replay);
  const tools = flags.tools === undefined ? undefined : await readTools(files, flags.tools);
  const tolerated = await openTolerances(files, flags.tolerances);
  const run: Run = { files, flags, io, gate: gateOf(flags), tools, tolerated, progress: createProgress(io, "asking") };
  const found = await checkAll(sources, run);
  run.progress.clear();
  const checks = found.flatMap((one) => (one.kind === "checked" ? [one] : []));
  const failures = found.flatMap((one) => (one.kind === "failed" ? [one.failure] : []));
  const summary = summariseSteps(checks.map(({ check }) => check));
  const { minAgreement } = flags;
  const findings: StepFindings = { checks, failures, summary, minAgreement, tolerancesFile: tolerated?.file };
  const exitCode = judge(findings);
  io.exit(exitCode);
  if (flags.json === true) writeJson(io, "step-check", exitCode, { path, ...toDocument(findings) });
  else printSteps(createPrinter(io), findings);
  noteCalls(checks, flags, io);
}

function assertModelOrAnswers({ provider, record, replay }: StepCheckFlags): void {
  if (record !== undefined && replay !== undefined) {
    throw usageError("--record and --replay were both given", "Leave one out. Replay sends no request.");
  }
  if (provider === undefined && replay === undefined) {
    throw usageError(
      "no --provider was given",
      "Name a model (--provider openai:MODEL), or compare earlier answers (--replay OUT).",
    );
  }
}

/** A recording, and the file of its answers. */
interface Source {
  file: string;
  out?: string;
}

function sourcesOf(target: Target, out: string | undefined): Source[] {
  const isFile = out?.endsWith(CASSETTE_SUFFIX) === true;
  if (target.kind !== "folder") {
    const answers = out === undefined || isFile ? out : join(out, basename(target.path));
    return [withOut(target.path, answers)];
  }
  if (isFile) throw usageError(`${out} is a file, and ${target.path} is a folder`, "Name a folder for the answers.");
  if (target.names.length === 0) throw noCassettesIn(target.path);
  return target.names.map((name) => withOut(pathIn(target.path, name), out === undefined ? out : pathIn(out, name)));
}

function withOut(file: string, out: string | undefined): Source {
  if (out === undefined) return { file };
  if (resolve(file) !== resolve(out)) return { file, out };
  throw new CliError("usage", `${out} is the recording itself`, "Name another file for the answers.", out);
}

function gateOf({ provider, price, maxTurns, maxCost, replay, ...flags }: StepCheckFlags): StepGate {
  const { concurrency, allowUnknownCost } = flags;
  const rate = provider === undefined ? price : rateOf(provider, price);
  // Kept answers cost nothing.
  const maxCostUsd = replay === undefined ? maxCost : undefined;
  return createStepGate({ concurrency, ...defined({ maxTurns, maxCostUsd, rate, allowUnknownCost }) });
}

interface Run {
  files: FilePort;
  flags: StepCheckFlags;
  io: CommandIo;
  gate: StepGate;
  tools: LlmToolDefinition[] | undefined;
  tolerated: OpenTolerances | undefined;
  progress: Progress;
}

type Found = CheckedFile | { kind: "failed"; failure: Failure };

/** Checks as many cassettes at a time as calls, begun in order, because the limit of turns counts in that order. */
async function checkAll(sources: readonly Source[], run: Run): Promise<Found[]> {
  const found = new Map<string, Found>();
  const underWay = new Set<Promise<void>>();
  const broken: unknown[] = [];
  const store = createCassetteStore(run.files);
  for (const [index, source] of sources.entries()) {
    if (broken.length > 0) break;
    run.progress.step(index, sources.length);
    const begun = await begin(source, store, run);
    const work = finish(source.file, begun)
      .then((one) => void found.set(source.file, one))
      .catch((error: unknown) => {
        broken.push(error);
        run.gate.stop();
      })
      .finally(() => underWay.delete(work));
    underWay.add(work);
    if (underWay.size >= run.flags.concurrency) await Promise.race(underWay);
  }
  await Promise.all(underWay);
  if (broken.length > 0) throw broken[0];
  return sources.flatMap(({ file }) => found.get(file) ?? []);
}

type Begun = { kind: "checking"; check: Promise<StepCheck>; lacks?: CliError } | { kind: "failed"; failure: Failure };

/** Reads the files and starts the check, which claims its share of the turns at once. */
async function begin({ file, out }: Source, store: CassetteStore, run: Run): Promise<Begun> {
  const recording = await loadRecording(store, file);
  if (recording.kind === "failed") return { kind: "failed", failure: recording.failure };
  const answers = out === undefined ? undefined : await loadRecording(store, out);
  if (answers?.kind === "failed" && answers.failure.code !== "file-not-found") {
    return { kind: "failed", failure: answers.failure };
  }
  const known = answers?.kind === "loaded" ? answers.cassette : undefined;
  const { flags, io } = run;
  const provider =
    flags.provider === undefined || flags.replay !== undefined ? undefined : toSource(flags.provider, flags, io);
  const check = stepCheck(recording.cassette, provider, optionsOf(run, store, known, out));
  const lacks = flags.replay === undefined || known !== undefined ? undefined : noAnswers(out);
  return { kind: "checking", check, ...defined({ lacks }) };
}

function optionsOf(
  { flags, io, gate, tools, tolerated }: Run,
  store: CassetteStore,
  answers: Cassette | undefined,
  out: string | undefined,
): StepCheckOptions {
  let isThere = answers !== undefined;
  const keep = async (cassette: Cassette): Promise<void> => {
    if (out === undefined) return;
    try {
      await store.save(out, cassette, { overwrite: isThere });
    } catch (error) {
      const { message, hint = "Check the path." } = toFailure(error, out);
      throw new CliError("answers-not-kept", `the answers cannot be kept: ${message}`, hint, out);
    }
    isThere = true;
  };
  return {
    gate,
    keep,
    timeoutMs: flags.timeout * 1_000,
    ports: { warn: (text) => createNotes(io)(text) },
    redact: withValues(undefined, secretsOf(io.env)),
    ...defined({ answers, tools, tolerances: tolerated?.value }),
  };
}

/** A failure of one recording does not stop the others. A failure of the model stops everything. */
async function finish(file: string, begun: Begun): Promise<Found> {
  if (begun.kind === "failed") return begun;
  try {
    const check = await begun.check;
    if (begun.lacks !== undefined) return { kind: "failed", failure: toFailure(begun.lacks, file) };
    return { kind: "checked", file, check };
  } catch (error) {
    if (error instanceof HarnessError || error instanceof CassetteError) {
      return { kind: "failed", failure: toFailure(error, file) };
    }
    throw error;
  }
}

function noAnswers(out = ""): CliError {
  const hint = "First record them: --provider P --record OUT.";
  return new CliError("nothing-found", `there are no answers in ${out}`, hint);
}

/** A recording that cannot be checked is left out, and does not count if others were compared. */
function judge({ failures, summary, minAgreement }: StepFindings): ExitCode {
  if (failures.some(({ exitCode }) => exitCode === EXIT.integrity)) return EXIT.integrity;
  const isBroken = failures.some(({ code }) => code !== "not-checkable");
  if (isBroken || summary.agreement === undefined) return EXIT.failed;
  return summary.failed === 0 && summary.agreement.rate >= minAgreement ? EXIT.ok : EXIT.drift;
}

function noteCalls(checks: readonly CheckedFile[], { record, replay }: StepCheckFlags, io: CommandIo): void {
  if (replay !== undefined) return;
  const asked = checks.reduce((sum, { check }) => sum + check.asked, 0);
  const kept =
    record === undefined ? "the answers were not kept (--record keeps them)" : `the answers are in ${record}`;
  createNotes(io)(`${count(asked, "turn")} requested now; ${kept}`);
}
