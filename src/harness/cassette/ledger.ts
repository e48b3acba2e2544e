// The ledger: what each cassette of a test run was used for, for the command that started the run.

import { dirname, relative, resolve, sep } from "node:path";
import { CassetteError } from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";

/** The path of the ledger, if there is one. */
export interface LedgerEnvironment {
  readonly CASSETTE_LEDGER?: string | undefined;
}

/** One line of the ledger a `cassette record` or `cassette replay` command reads afterwards. */
export interface LedgerLine {
  /** As the test named it; in mode `failed` where the recording of the failed test is kept. */
  file: string;
  /** The same from the folder of the ledger, with `/`, so that it also holds in another checkout. */
  path: string;
  /** `live`, which neither reads nor writes the file, and `unfinished`, a test that failed, say only that a test has it. */
  mode: "record" | "refresh" | "replay" | "from-first-miss" | "fork" | "failed" | "live" | "unfinished";
  turns: number;
  /** Turns that came from an older recording, in the last two modes. */
  kept?: number;
}

/** Adds a line to the ledger, if there is one. Throws `CassetteError` `file-unreadable` when the disk refuses. */
export type Note = (file: string, mode: LedgerLine["mode"], turns: number, kept?: number) => Promise<void>;

export function createNote(files: FilePort, environment: LedgerEnvironment): Note {
  return async (file, mode, turns, kept) => {
    const { CASSETTE_LEDGER: ledger = "" } = environment;
    if (ledger === "") return;
    const line: LedgerLine = { file, path: pathInLedger(ledger, file), mode, turns };
    const text = JSON.stringify(kept === undefined ? line : { ...line, kept });
    const result = await files.append(ledger, `${text}\n`);
    if (result.kind === "written") return;
    // A cassette that is missing from the ledger would be an orphan to `cassette prune`.
    const why = result.kind === "failed" ? result.message : "it exists";
    throw new CassetteError("file-unreadable", `the ledger ${ledger} cannot be written: ${why}`, { file: ledger });
  };
}

/** The path of a cassette as the ledger at `ledger` names it. */
export function pathInLedger(ledger: string, file: string): string {
  return relative(dirname(resolve(ledger)), resolve(file))
    .split(sep)
    .join("/");
}
