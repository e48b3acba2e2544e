// Refuses a folder for `cassette show`, which takes one file. The error names the files of the folder.

import { BUNDLE_SUFFIX, CASSETTE_SUFFIX } from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import { CliError } from "../errors.js";
import { pathIn } from "../options/recordings.js";

const MAX_NAMES = 3;

/** Throws `CliError` `usage` for a folder. `suffixes` are those of suitable files. */
export async function assertNoFolder(
  files: FilePort,
  path: string,
  suffixes: readonly string[] = [CASSETTE_SUFFIX],
): Promise<void> {
  const lists = await Promise.all(suffixes.map((suffix) => files.list(path, suffix)));
  if (lists.every((names) => names === undefined)) return;
  const found = lists.flatMap((names) => names ?? []).map((name) => pathIn(path, name));
  const more = found.length - MAX_NAMES;
  const what = suffixes.includes(BUNDLE_SUFFIX) ? "cassette or bundle" : "cassette";
  const hint =
    found.length === 0
      ? `The folder contains no ${what}.`
      : `Name one of them: ${found.slice(0, MAX_NAMES).join(", ")}${more > 0 ? ` and ${more} more` : ""}.`;
  throw new CliError("usage", `${path} is a folder, and show takes one ${what}`, hint, path);
}
