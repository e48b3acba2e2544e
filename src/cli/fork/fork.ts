// `cassette fork`: checks both files before it starts the command, so that a missing turn or an existing file costs nothing.

import { resolve } from "node:path";
import { assertForkable, CASSETTE_SUFFIX, CassetteError, createCassetteStore } from "../../cassette/index.js";
import { usageError } from "../errors.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { runWithCassettes } from "../child/run-with-cassettes.js";

export interface ForkCommandOptions {
  at: number;
  out: string;
  json?: boolean;
}

/** Runs the command and exits as it did. Throws if the cassette cannot be forked there, or was not used. */
export async function fork(
  file: string,
  command: readonly string[],
  { at, out, json = false }: ForkCommandOptions,
  io: CommandIo,
): Promise<void> {
  if (!out.endsWith(CASSETTE_SUFFIX)) {
    const hint = `Add the suffix. Commands find no other cassettes in a folder.`;
    throw usageError(`--out ${out} does not end in ${CASSETTE_SUFFIX}; nothing was run`, hint);
  }
  const files = filesAt(io);
  const cassette = await createCassetteStore(files).load(file, { requireIntegrity: true });
  assertForkable(cassette, at, file);
  if ((await files.read(out, 0)).kind !== "not-found") {
    const hint = "Name another file with --out. A fork replaces nothing.";
    throw new CassetteError("file-exists", `${out} exists and was not replaced; nothing was run`, { file: out, hint });
  }
  const path = (name: string): string => resolve(io.cwd, name);
  const env = { CASSETTE_FORK: path(file), CASSETTE_FORK_AT: String(at), CASSETTE_FORK_OUT: path(out) };
  await runWithCassettes({ verb: "fork", mode: "fork", command, json, env }, io);
}
