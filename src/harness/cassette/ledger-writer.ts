// The ledger: how a test run used each cassette, for the command that started the run.

import { dirname, relative, resolve, sep } from "node:path";
import { CassetteError } from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";

export interface LedgerEnvironment {
  readonly CASSETTE_LEDGER?: string | undefined;
}

/** One line of the ledger, which `cassette record` and `cassette replay` read afterwards. */
export interface LedgerLine {
  /** The file as the test named it; in mode `failed` the recording of the failed test. */
  file: string;
  /** The same file from the folder of the ledger, with `/`, so that it is valid in another checkout. */
  path: string;
  /** `live` (file not touched) and `unfinished` (failed test) say only that a test uses the cassette. */
  mode: "record" | "refresh" | "replay" | "from-first-miss" | "fork" | "failed" | "live" | "unfinished";
  turns: number;
  /** Present if there are exchanges: requests that are not turns. */
  exchanges?: number;
  /** Turns from an older recording, in modes `from-first-miss` and `fork`. */
  kept?: number;
}

/** Adds a line to the ledger, if there is one. Throws `CassetteError` `file-unreadable`. */
export type Note = (
  file: string,
  mode: LedgerLine["mode"],
  size: Omit<LedgerLine, "file" | "path" | "mode">,
) => Promise<void>;

/** The size of a line. Without exchanges, it has no count of them. */
export function toSize(turns: number, exchanges: number): { turns: number; exchanges?: number } {
  return { turns, ...(exchanges === 0 ? {} : { exchanges }) };
}

export function createNote(files: FilePort, environment: LedgerEnvironment): Note {
  return async (file, mode, size) => {
    const { CASSETTE_LEDGER: ledger = "" } = environment;
    if (ledger === "") return;
    const line: LedgerLine = { file, path: pathInLedger(ledger, file), mode, ...size };
    const result = await files.append(ledger, `${JSON.stringify(line)}\n`);
    if (result.kind === "written") return;
    // `cassette prune` takes a cassette that is missing from the ledger for an orphan.
    const why = result.kind === "failed" ? result.message : "it exists";
    throw new CassetteError("file-unreadable", `the ledger ${ledger} cannot be written: ${why}`, { file: ledger });
  };
}

export function pathInLedger(ledger: string, file: string): string {
  return relative(dirname(resolve(ledger)), resolve(file))
    .split(sep)
    .join("/");
}
