// A private temporary folder for one command.

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
    const hint = "Set TMPDIR (TEMP on Windows) to an existing folder that can be written to.";
    throw new CliError(
      "no-temporary-folder",
      `cannot make a temporary folder in ${tmpdir()}: ${code ?? message}`,
      hint,
    );
  }
}
