// `cassette fork`: both files are looked at before the command is started, so that a turn the cassette does not have, or a file
// that is there already, costs nothing.

import { resolve } from "node:path";
import { assertForkable, CASSETTE_SUFFIX, CassetteError, createCassetteStore } from "../../cassette/index.js";
import { CliError } from "../errors.js";
import { filesAt, type CommandIo } from "../terminal/io.js";
import { runWithCassettes } from "../child/run.js";

/** The flags of `cassette fork`. */
export interface ForkCommandOptions {
  at: number;
  out: string;
  json?: boolean;
}

/** Runs the command and exits as it did. Throws where the cassette cannot be forked there, or was not used. */
export async function fork(
  file: string,
  command: readonly string[],
  { at, out, json = false }: ForkCommandOptions,
  io: CommandIo,
): Promise<void> {
  if (!out.endsWith(CASSETTE_SUFFIX)) {
    const hint = `Commands that are given a folder look for ${CASSETTE_SUFFIX} only; name it so.`;
    throw new CliError("usage", `--out ${out} does not end in ${CASSETTE_SUFFIX}; nothing was run`, hint);
  }
  const files = filesAt(io);
  const cassette = await createCassetteStore(files).load(file, { requireIntegrity: true });
  assertForkable(cassette, at, file);
  if ((await files.read(out, 0)).kind !== "not-found") {
    const hint = "A fork replaces nothing: name another file with --out.";
    throw new CassetteError("file-exists", `${out} exists and was left as it is; nothing was run`, { file: out, hint });
  }
  const path = (name: string): string => resolve(io.cwd, name);
  const env = { CASSETTE_FORK: path(file), CASSETTE_FORK_AT: String(at), CASSETTE_FORK_OUT: path(out) };
  await runWithCassettes({ verb: "fork", mode: "fork", command, json, env }, io);
}
