// `cassette fork`: the cassette is looked at before the command is started, so that a turn it does not have costs nothing.

import { resolve } from "node:path";
import { assertForkable, createCassetteStore } from "../../cassette/index.js";
import { filesAt, type CommandIo } from "../io.js";
import { runWithCassettes } from "./run.js";

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
  const cassette = await createCassetteStore(filesAt(io)).load(file, { requireIntegrity: true });
  assertForkable(cassette, at, file);
  const path = (name: string): string => resolve(io.cwd, name);
  const env = { CASSETTE_FORK: path(file), CASSETTE_FORK_AT: String(at), CASSETTE_FORK_OUT: path(out) };
  await runWithCassettes({ verb: "fork", mode: "fork", command, json, env }, io);
}
