// One run of the test command, without a change or with a mutant in place of one cassette. The mutant is in a temporary folder and
// reaches the command through its environment, so that a kill at any point changes no cassette.

import { mkdir, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { createCassetteStore } from "../../cassette/index.js";
import { mutateCassette, type LedgerLine, type Mutant, type Overlay } from "../../harness/index.js";
import { readLedger } from "../child/ledger-reader.js";
import { runChild, type ChildEnd } from "../child/spawn.js";
import { CliError } from "../errors.js";
import { MAX_SEEN_BYTES } from "../limits.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import type { Member } from "./suite.js";

/** `unused`: the command did not load the mutant. */
export type Outcome = "noticed" | "survived" | "unused";

export interface Trial {
  outcome: Outcome;
  exitCode: number;
  /** Killed by the timeout, which counts as noticed. */
  isTimedOut: boolean;
  ms: number;
  /** ISO 8601, UTC; absent in reports of earlier versions. */
  endedAt?: string;
}

const DATE = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const OUTCOMES: readonly unknown[] = ["noticed", "survived", "unused"] satisfies Outcome[];

/** The trial of an object that may have other fields too. Undefined if it has none. */
export function toTrial(value: Readonly<Record<string, unknown>>): Trial | undefined {
  const { outcome, exitCode, isTimedOut, ms, endedAt } = value;
  if (!OUTCOMES.includes(outcome) || typeof exitCode !== "number" || typeof ms !== "number") return undefined;
  const trial = { outcome: outcome as Outcome, exitCode, isTimedOut: isTimedOut === true, ms };
  return typeof endedAt === "string" && DATE.test(endedAt) ? { ...trial, endedAt } : trial;
}

export interface Baseline {
  end: ChildEnd;
  ms: number;
  /** The loaded cassettes. */
  seen: Set<string>;
  ledger: LedgerLine[];
}

interface TrialOptions {
  command: readonly string[];
  /** The folder of this whole run. */
  folder: string;
  seed: string;
  timeoutMs: number;
}

/** Runs the command without a change. Its output goes to stderr. */
export async function runBaseline(command: readonly string[], folder: string, io: CommandIo): Promise<Baseline> {
  const here = join(folder, "baseline");
  await mkdir(here);
  const began = performance.now();
  const end = await runChild(command, { cwd: io.cwd, env: toEnvironment(here, {}, io), stdoutToStderr: true });
  const ms = Math.round(performance.now() - began);
  const { lines } = await readLedger(io.files, join(here, "ledger.jsonl"));
  return { end, ms, seen: await readSeen(here, io), ledger: lines };
}

/** Throws `cassette-changed` if the cassette is not the planned one. */
export async function runTrial(
  mutant: Mutant,
  { file, paths, envelopeHash }: Member,
  { command, folder, seed, timeoutMs }: TrialOptions,
  io: CommandIo,
): Promise<Trial> {
  const here = join(folder, mutant.id);
  const mutated = join(here, basename(file));
  const store = createCassetteStore(filesAt(io));
  const cassette = await store.load(file);
  const isPlanned = cassette.version === 2 && cassette.envelopeHash === envelopeHash;
  const made = isPlanned ? mutateCassette(cassette, { file, seed, kinds: [mutant.kind] }, mutant.id) : undefined;
  if (made === undefined) {
    const hint = "Run this again, and let nothing record or edit cassettes meanwhile.";
    throw new CliError("cassette-changed", `${file} changed after the run began`, hint, file);
  }
  try {
    await store.save(mutated, made.cassette, { maxBytes: Number.MAX_SAFE_INTEGER });
    const replace = Object.fromEntries(paths.map((path) => [path, mutated]));
    const env = toEnvironment(here, replace, io);
    const began = performance.now();
    const end = await runChild(command, { cwd: io.cwd, env, stdoutToStderr: true, quietly: { timeoutMs } });
    const ms = Math.round(performance.now() - began);
    const seen = await readSeen(here, io);
    const isUsed = paths.some((path) => seen.has(path));
    const outcome = !isUsed ? "unused" : end.exitCode === 0 ? "survived" : "noticed";
    return { outcome, exitCode: end.exitCode, isTimedOut: end.isTimedOut, ms, endedAt: new Date().toISOString() };
  } finally {
    await rm(here, { recursive: true, force: true });
  }
}

/** A separate ledger, because `cassette prune` must not count runs on mutants. */
function toEnvironment(here: string, replace: Overlay["replace"], io: CommandIo): Record<string, string | undefined> {
  const overlay: Overlay = { seen: join(here, "seen.jsonl"), replace };
  return {
    ...io.env,
    CASSETTE_MODE: "replay",
    CASSETTE_LEDGER: join(here, "ledger.jsonl"),
    CASSETTE_OVERLAY: JSON.stringify(overlay),
  };
}

/** A killed command may leave half a line, which is ignored. */
async function readSeen(here: string, io: CommandIo): Promise<Set<string>> {
  const result = await io.files.read(join(here, "seen.jsonl"), MAX_SEEN_BYTES);
  if (result.kind !== "read") return new Set();
  const paths = new TextDecoder().decode(result.bytes).split("\n").map(parseSeen);
  return new Set(paths.filter((path) => path !== undefined));
}

function parseSeen(line: string): string | undefined {
  try {
    const { path } = JSON.parse(line) as { path?: unknown };
    return typeof path === "string" ? path : undefined;
  } catch {
    return undefined;
  }
}
