// `cassette shrink`: finds the smallest part of two recordings that still shows their drift, as two small cassettes.

import { join } from "node:path";
import {
  CassetteError,
  createCassetteStore,
  DRIFT_KINDS,
  type CassetteV2,
  type DiffOptions,
  readRules,
  type DriftKind,
} from "../../cassette/index.js";
import { defined, type FilePort } from "../../core/index.js";
import { shellText, shrinkDrift, type Shrunk } from "../../harness/index.js";
import { CliError, usageError } from "../errors.js";
import { EXIT } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { count, createPrinter, writeJson, type PrintLine } from "../terminal/output.js";
import type { ComparisonFlags } from "../options/comparison.js";
import { openTolerances, printTolerances, type OpenTolerances } from "../options/tolerances.js";

export interface ShrinkOptions extends ComparisonFlags {
  out?: string;
  force?: boolean;
  kind?: DriftKind;
  tool?: string;
  rules?: string;
}

/** Exits 2 if the two do not show the drift, 3 if one is refused. */
export async function shrink(base: string, candidate: string, options: ShrinkOptions, io: CommandIo): Promise<void> {
  assertWanted(options);
  const { out, force = false, ignore, order, readOnly, content, json = false } = options;
  const files = filesAt(io);
  const tolerated = await openTolerances(files, options.tolerances);
  const { kind, tool, rules: file } = options;
  const rules = file === undefined ? undefined : await readRules(files, file);
  const [old, now] = [await load(base, files), await load(candidate, files)];
  const tolerances = tolerated?.value;
  const compared = { ignore, order, readOnly, ignoreContent: content !== true, ignoreStops: false };
  const diffOptions: DiffOptions = { ...compared, ...defined({ tolerances }) };
  const shrunk = shrinkDrift(old, now, diffOptions, defined({ kind, tool, rules }));
  if (shrunk === undefined) throw nothingToShrink(base, candidate, options);
  const written = out === undefined ? undefined : await write(out, shrunk, force, io);
  const reproduce = reproduceCommand(written ?? { base, candidate }, options, tolerated);
  if (json) {
    const { rows, edits, isMinimal, drifts, broken, tolerances: used } = shrunk;
    const toleranceUse = { tolerancesFile: tolerated?.file ?? null, tolerances: used };
    const found = { rows, edits, isMinimal, drifts, broken, ...toleranceUse };
    writeJson(io, "shrink", EXIT.ok, { base, candidate, ...found, written, reproduce });
    return;
  }
  const line = createPrinter(io);
  line({ look: "bold", text: `${base} → ${candidate}` });
  printShrunk(line, shrunk, written);
  printTolerances(line, tolerated?.file, shrunk.tolerances);
  line(`see it:  ${reproduce}`);
}

function printShrunk(line: PrintLine, shrunk: Shrunk, written: Sides | undefined): void {
  const { broken, drifts, rows, edits, isMinimal } = shrunk;
  if (broken !== undefined) line(`  rule ${broken.rule} broken at turn ${broken.turn}: `, broken.sentence);
  for (const { sentence } of drifts) line("  - ", sentence);
  const differing = `${edits.kept} of ${count(edits.of, "turn")} that ${edits.of === 1 ? "differs" : "differ"}`;
  line(`shown by the first ${count(rows.kept, "turn pair")} of ${rows.of}, and ${differing}`);
  const limit = "the limit of comparisons was reached, so a smaller part might show it too";
  if (!isMinimal) line({ look: "warn", text: limit });
  if (written === undefined) line({ look: "dim", text: "--out FOLDER writes the two as cassettes" });
  else line(`written to ${written.base} and ${written.candidate}, which are not recordings`);
}

function assertWanted({ kind, tool, rules }: ShrinkOptions): void {
  if (kind !== undefined && !DRIFT_KINDS.includes(kind)) {
    throw usageError(`${JSON.stringify(kind)} is not a kind of drift`, `Use one of ${DRIFT_KINDS.join(", ")}.`);
  }
  if (rules !== undefined && (kind !== undefined || tool !== undefined)) {
    throw usageError("--rules keeps a broken rule, and --kind and --tool keep a drift", "Use one of them.");
  }
}

async function load(file: string, files: FilePort): Promise<CassetteV2> {
  const cassette = await createCassetteStore(files).load(file, { ports: { warn: () => undefined } });
  if (cassette.version === 2) return cassette;
  throw new CassetteError("not-a-cassette", "the cassette has version 1, and only version 2 is shrunk", {
    file,
    hint: "Record it again, or copy it as version 2 with npx playhead migrate.",
  });
}

/** Both files, or neither when one exists and `overwrite` is false. */
async function write(out: string, { base, candidate }: Shrunk, overwrite: boolean, io: CommandIo): Promise<Sides> {
  const files = filesAt(io);
  const store = createCassetteStore(files);
  const sides = { base: join(out, "base.cassette.json"), candidate: join(out, "candidate.cassette.json") };
  for (const file of Object.values(sides)) {
    if (overwrite || (await files.read(file, 0)).kind === "not-found") continue;
    const hint = "Add --force to replace it, or name a new folder.";
    throw new CassetteError("file-exists", `${file} exists and was not replaced`, { file, hint });
  }
  await store.save(sides.base, base, { overwrite });
  await store.save(sides.candidate, candidate, { overwrite });
  return sides;
}

interface Sides {
  base: string;
  candidate: string;
}

/** `cassette diff` shows a drift, `cassette drift` a broken rule. Both take the same options. */
function reproduceCommand(
  { base, candidate }: Sides,
  { ignore, order, readOnly, content, tolerances, rules }: ShrinkOptions,
  tolerated: OpenTolerances | undefined,
): string {
  const words = [
    ...ignore.flatMap((place) => ["--ignore", place]),
    ...(order === "strict" ? [] : ["--order", order]),
    ...readOnly.flatMap((name) => ["--read-only", name]),
    ...(content === true ? ["--content"] : []),
    ...(tolerances === false ? ["--no-tolerances"] : tolerated === undefined ? [] : ["--tolerances", tolerated.file]),
    ...(rules === undefined ? [] : ["--rules", rules]),
  ];
  return ["cassette", rules === undefined ? "diff" : "drift", base, candidate, ...words].map(shellText).join(" ");
}

function nothingToShrink(base: string, candidate: string, { kind, tool, rules }: ShrinkOptions): CliError {
  if (rules !== undefined) {
    const message = `${candidate} breaks no rule of ${rules} that ${base} keeps, so there is nothing to shrink`;
    return new CliError("nothing-to-compare", message, "npx playhead check lists the rules that each of them breaks.");
  }
  const what = [kind ?? "", tool === undefined ? "" : `of ${tool}`].filter((word) => word !== "").join(" ");
  const message = `${base} and ${candidate} show no drift${what === "" ? "" : ` ${what}`}, so there is nothing to shrink`;
  return new CliError("nothing-to-compare", message, "npx playhead diff lists the drifts. --content adds texts.");
}
