// `cassette record --adopt`: makes the recording of a failed test the cassette of that test, where the assertion was wrong and not the run.

import { CASSETTE_SUFFIX, createCassetteStore, FAILED_SUFFIX, withOutcome } from "../cassette/index.js";
import type { JsonObject } from "../core/index.js";
import { isCI } from "../harness/index.js";
import { CliError, usageError } from "./errors.js";
import { EXIT } from "./exit-codes.js";
import { filesAt, type CommandIo } from "./terminal/io.js";
import { createNotes, writeJson } from "./terminal/output.js";

/** Replaces the cassette, whose run it takes over, and removes the recording. Throws what loading and saving throw. */
export async function adopt(file: string, json: boolean, io: CommandIo): Promise<void> {
  if (isCI({ CI: io.env["CI"] })) {
    throw new CliError("bless-in-ci", "CI is set, and no recording is adopted in CI", "Adopt it on your own machine.");
  }
  if (!file.endsWith(FAILED_SUFFIX)) {
    throw usageError(`--adopt ${file} is not the recording of a failed test`, `Its name ends in ${FAILED_SUFFIX}.`);
  }
  const files = filesAt(io);
  const store = createCassetteStore(files);
  const cassette = await store.load(file, { requireIntegrity: true });
  if (cassette.version !== 2) throw usageError(`${file} has version 1`, "Record it again.");
  const to = `${file.slice(0, -FAILED_SUFFIX.length)}${CASSETTE_SUFFIX}`;
  const { error: _error, ...outcome } = {
    ...(cassette.extensions?.["outcome"] as object),
    success: true,
  } as JsonObject;
  await store.save(to, withOutcome(cassette, outcome), { overwrite: true });
  await files.remove(file);
  io.exit(EXIT.ok);
  const isUnsigned = cassette.signature !== undefined;
  if (json) writeJson(io, "record", EXIT.ok, { adopted: file, to, signatureRemoved: isUnsigned });
  else {
    const note = createNotes(io);
    note(
      "cassette record: adopted ",
      file,
      " as ",
      to,
      isUnsigned ? "; its signature no longer fits: sign it again" : "",
    );
  }
}
