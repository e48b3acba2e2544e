// `cassette bench --out`: writes a stretched cassette.

import { resolve } from "node:path";
import { CASSETTE_SUFFIX, CassetteError, createCassetteStore } from "../../cassette/index.js";
import { stretchCassette } from "../../harness/index.js";
import { usageError } from "../errors.js";
import { EXIT } from "../exit-codes.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { count, createPrinter, writeJson } from "../terminal/output.js";
import { loadForBench } from "./load.js";

interface StretchOptions {
  turns: number;
  out: string;
  force: boolean;
  json: boolean;
}

/** Throws for a cassette that cannot be stretched, and for an existing file without `force`. */
export async function stretch(file: string, { turns, out, force, json }: StretchOptions, io: CommandIo): Promise<void> {
  if (!out.endsWith(CASSETTE_SUFFIX)) {
    throw usageError(`--out ${out} does not end in ${CASSETTE_SUFFIX}`, "Add the suffix.");
  }
  if (resolve(io.cwd, out) === resolve(io.cwd, file)) {
    throw usageError(`--out ${out} is the recording itself`, "Name another file. Later comparisons need the original.");
  }
  const stretched = stretchCassette(await loadForBench(file, io), turns);
  const files = filesAt(io);
  if (!force && (await files.read(out, 0)).kind !== "not-found") {
    const hint = "Add --force to replace it, or name another file.";
    throw new CassetteError("file-exists", `${out} exists and was not replaced`, { file: out, hint });
  }
  await createCassetteStore(files).save(out, stretched, { overwrite: force });
  if (json) writeJson(io, "bench", EXIT.ok, { out, turns });
  else createPrinter(io)("wrote ", out, `, ${count(turns, "turn")}, marked as stretched`);
}
