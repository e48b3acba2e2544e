// A folder of our own for one command, where the system keeps what is temporary. Nobody else may read it.

import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { CliError } from "../errors.js";

/** Throws `no-temporary-folder`. */
export async function makeFolder(prefix: string): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), prefix));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new CliError(
      "no-temporary-folder",
      `no folder could be made in ${tmpdir()}, where temporary files go: ${code ?? message}`,
      "Set TMPDIR (TEMP on Windows) to a folder that exists and may be written to.",
    );
  }
}
