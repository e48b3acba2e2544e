// `cassette shrink`: the least of two recordings that still shows their drift, as two small cassettes to be looked at.

import { join } from "node:path";
import {
  CassetteError,
  createCassetteStore,
  DRIFT_KINDS,
  type CallOrder,
  type CassetteV2,
  type DiffOptions,
  type DriftKind,
} from "../../cassette/index.js";
import { shrinkDrift, type Shrunk } from "../../harness/index.js";
import { CliError } from "../errors.js";
import { EXIT } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../io.js";
import { count, createPrinter, writeJson } from "../output.js";
import { quote } from "../shell.js";

/** The flags of `cassette shrink`, as commander gives them. */
export interface ShrinkOptions {
  out?: string;
  kind?: DriftKind;
  tool?: string;
  ignore: string[];
  order: CallOrder;
  readOnly: string[];
  content?: boolean;
  json?: boolean;
}

/** Exits 0 with what is left, 2 where the two do not show the drift, 3 where one is refused. */
export async function shrink(base: string, candidate: string, options: ShrinkOptions, io: CommandIo): Promise<void> {
  const { out, kind, tool, ignore, order, readOnly, content, json = false } = options;
  if (kind !== undefined && !DRIFT_KINDS.includes(kind)) {
    throw new CliError("usage", `${JSON.stringify(kind)} is no kind of drift`, `Use one of ${DRIFT_KINDS.join(", ")}.`);
  }
  const store = createCassetteStore(filesAt(io));
  const load = async (file: string): Promise<CassetteV2> => {
    const cassette = await store.load(file, { ports: { warn: () => undefined } });
    if (cassette.version === 2) return cassette;
    throw new CassetteError("not-a-cassette", "the cassette has version 1, and only version 2 is shrunk", {
      file,
      hint: "Record it again, or copy it as version 2 with cassette migrate.",
    });
  };
  const [old, now] = [await load(base), await load(candidate)];
  const diffOptions: DiffOptions = { ignore, order, readOnly, ignoreContent: content !== true };
  const wanted = { ...(kind === undefined ? {} : { kind }), ...(tool === undefined ? {} : { tool }) };
  const shrunk = shrinkDrift(old, now, diffOptions, wanted);
  if (shrunk === undefined) throw nothingToShrink(base, candidate, wanted);
  const written = out === undefined ? undefined : await write(out, shrunk, io);
  const { rows, edits, drifts, isMinimal } = shrunk;
  const files = written === undefined ? { base, candidate } : written;
  const reproduce = reproduceCommand(files, options);
  if (json) {
    writeJson(io, "shrink", EXIT.ok, { base, candidate, rows, edits, isMinimal, drifts, written, reproduce });
    return;
  }
  const line = createPrinter(io);
  line({ look: "bold", text: `${base} → ${candidate}` });
  for (const { sentence } of drifts) line("  - ", sentence);
  line(
    `shown by the first ${count(rows.kept, "turn pair")} of ${rows.of}, and ${edits.kept} of ${count(edits.of, "turn")} that ${edits.of === 1 ? "differs" : "differ"}`,
  );
  if (!isMinimal) line({ look: "warn", text: "the limit of comparisons was reached: less might show it too" });
  if (written === undefined) line({ look: "dim", text: "--out FOLDER writes the two as cassettes" });
  else line(`written to ${written.base} and ${written.candidate}; nobody recorded them`);
  line(`see it:  ${reproduce}`);
}

/** Both files or, where one is there already, neither. */
async function write(out: string, { base, candidate }: Shrunk, io: CommandIo): Promise<Sides> {
  const files = filesAt(io);
  const store = createCassetteStore(files);
  const sides = { base: join(out, "base.cassette.json"), candidate: join(out, "candidate.cassette.json") };
  for (const file of Object.values(sides)) {
    if ((await files.read(file, 0)).kind === "not-found") continue;
    throw new CassetteError("file-exists", `${file} exists and was left as it is`, {
      file,
      hint: "Name a new folder.",
    });
  }
  await store.save(sides.base, base);
  await store.save(sides.candidate, candidate);
  return sides;
}

interface Sides {
  base: string;
  candidate: string;
}

function reproduceCommand({ base, candidate }: Sides, { ignore, order, readOnly, content }: ShrinkOptions): string {
  const words = [
    ...ignore.flatMap((place) => ["--ignore", place]),
    ...(order === "strict" ? [] : ["--order", order]),
    ...readOnly.flatMap((name) => ["--read-only", name]),
    ...(content === true ? ["--content"] : []),
  ];
  return ["cassette", "diff", base, candidate, ...words].map(quote).join(" ");
}

function nothingToShrink(base: string, candidate: string, { kind, tool }: { kind?: string; tool?: string }): CliError {
  const what = [kind ?? "", tool === undefined ? "" : `of ${tool}`].filter((word) => word !== "").join(" ");
  const message = `${base} and ${candidate} show no drift${what === "" ? "" : ` ${what}`}, so there is nothing to shrink`;
  return new CliError("nothing-to-compare", message, "cassette diff lists the drifts there are; --content adds texts.");
}
