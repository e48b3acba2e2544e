// `cassette mutate --merge`: the reports of all shards as one table and one score. It reads the cassettes again and runs nothing.

import { createCassetteStore } from "../../cassette/index.js";
import { CliError, usageError } from "../errors.js";
import { loadRecording } from "../options/recordings.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { writeJson } from "../terminal/output.js";
import { printFindings, toDocument, type Findings } from "./findings.js";
import { choose, createMutantList, judge } from "./choose.js";
import { assertSamePlan, readReport, unusable, type Plan, type ReportPart } from "./report-file.js";
import type { Trial } from "./trial.js";

/** Exits 1 if a mutant survived in any shard. Throws `report-unusable` for a missing shard or a report of another run. */
export async function mergeReports(
  paths: readonly string[],
  { json = false }: { json?: boolean },
  io: CommandIo,
): Promise<void> {
  const { plan, parts, trials } = await readParts(paths, io);
  const findings = await toFindings(plan, parts, trials, io);
  const exitCode = judge(findings.trials);
  io.exit(exitCode);
  if (json) writeJson(io, "mutate", exitCode, { ...toDocument(findings), stoppedBy: null });
  else printFindings(findings, io);
}

interface Parts {
  plan: Plan;
  parts: ReportPart[];
  trials: Map<string, Trial>;
}

async function readParts(paths: readonly string[], io: CommandIo): Promise<Parts> {
  if (paths.length === 0) throw usageError("--merge was given without a report", "Name the reports of all shards.");
  const parts: ReportPart[] = [];
  const trials = new Map<string, Trial>();
  let first: Plan | undefined;
  for (const path of paths) {
    const { plan, done } = await readReport(path, io);
    const { part } = plan;
    if (part === undefined) throw unusable(path, "is not of a shard", "Make it with --shard i/n.");
    if (parts.some(({ shard }) => shard === part.shard)) {
      throw unusable(path, `is a second report of shard ${part.shard}`, "Name each shard once.");
    }
    if (first?.part !== undefined) {
      assertSamePlan(path, { ...first, part: { ...first.part, shard: part.shard } }, plan);
    }
    first ??= plan;
    parts.push(part);
    for (const [id, trial] of done) trials.set(id, trial);
  }
  assertWhole(parts);
  return { plan: first as Plan, parts, trials };
}

function assertWhole(parts: readonly ReportPart[]): void {
  const shards = parts[0]?.shards ?? 0;
  const missing = Array.from({ length: shards }, (_, index) => index + 1).filter(
    (shard) => !parts.some((part) => part.shard === shard),
  );
  if (missing.length === 0) return;
  const names = missing.map((shard) => `shard ${shard}/${shards}`).join(", ");
  const message = `the reports are not complete: ${names} ${missing.length === 1 ? "is" : "are"} missing`;
  throw new CliError("report-unusable", message, "Run what is missing, and name its report too.");
}

/** Lists the mutants again, which gives those that the shards chose from. */
export async function toFindings(
  { seed, kinds, command, cassettes }: Plan,
  parts: readonly ReportPart[],
  trials: ReadonlyMap<string, Trial>,
  io: CommandIo,
): Promise<Findings> {
  const [{ max, unused, leftOut } = { max: 0, unused: [], leftOut: [] }] = parts;
  const { all, cut, visit } = createMutantList(seed, kinds);
  const store = createCassetteStore(filesAt(io));
  for (const [file, envelopeHash] of Object.entries(cassettes)) {
    const loaded = await loadRecording(store, file);
    if (loaded.kind === "failed" || loaded.cassette.version === 1 || loaded.cassette.envelopeHash !== envelopeHash) {
      const hint = "Merge in the folder of the tests, with the cassettes that were changed.";
      throw new CliError("cassette-changed", `${file} is not the cassette that was changed`, hint, file);
    }
    visit({ file }, loaded.cassette);
  }
  const chosen = choose(all, seed, max);
  return {
    ...{ command, seed, found: all.length, cut, chosen, trials, reported: new Map<string, Trial>() },
    suite: { members: [], unused: [...unused], leftOut: [...leftOut] },
    baselineMs: Math.max(...parts.map((part) => part.baselineMs)),
    timeoutMs: Math.max(...parts.map((part) => part.timeoutMs)),
  };
}
