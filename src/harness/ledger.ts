// The ledger: what each cassette of a test run was used for, for the command that started the run.

import { resolve } from "node:path";
import type { FilePort } from "../core/index.js";

/** Where the ledger lies, if there is one. */
export interface LedgerEnvironment {
  readonly CASSETTE_LEDGER?: string | undefined;
}

/** One line of the ledger a `cassette record` or `cassette replay` command reads afterwards. */
export interface LedgerLine {
  /** As the test named it; in mode `failed` where the recording of the failed test is kept. */
  file: string;
  /** The same from the root of the disk, since two processes may work in two folders. */
  path: string;
  mode: "record" | "refresh" | "replay" | "from-first-miss" | "fork" | "failed";
  turns: number;
  /** Turns that came from an older recording, in the last two modes. */
  kept?: number;
}

/** Adds a line to the ledger, if there is one. */
export type Note = (file: string, mode: LedgerLine["mode"], turns: number, kept?: number) => Promise<void>;

export function createNote(files: FilePort, environment: LedgerEnvironment): Note {
  return async (file, mode, turns, kept) => {
    const ledger = environment.CASSETTE_LEDGER;
    const line: LedgerLine = { file, path: resolve(file), mode, turns, ...(kept === undefined ? {} : { kept }) };
    if (ledger !== undefined && ledger !== "") await files.append(ledger, JSON.stringify(line) + "\n");
  };
}
