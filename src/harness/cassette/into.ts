// Where the recordings of one run of a suite go, for a command that runs a suite several times.

import { isAbsolute, join, relative, resolve } from "node:path";
import { CassetteError } from "../../cassette/index.js";

export interface IntoEnvironment {
  readonly CASSETTE_INTO?: string | undefined;
}

/**
 * The path of a new recording: below the folder CASSETTE_INTO, at its path from the working folder. Without the variable, `file` itself.
 * Throws `CassetteError` `invalid-options` for a file outside the working folder.
 */
export function recordingPath({ CASSETTE_INTO: into = "" }: IntoEnvironment, file: string, cwd = ""): string {
  if (into === "") return file;
  const path = relative(cwd, resolve(cwd, file));
  if (path === ".." || /^\.\.[\\/]/.test(path) || isAbsolute(path)) {
    throw new CassetteError("invalid-options", `${file} is outside the working folder, so it has no place in ${into}`, {
      file,
      hint: "Run the command in a folder that contains all its cassettes.",
    });
  }
  return join(into, /[\\/]$/.test(file) ? `${path}/` : path);
}
