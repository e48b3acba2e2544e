// The parts of the machine that opened cassettes share.

import { createCassetteStore, type CassetteStore } from "../../cassette/index.js";
import type { FilePort } from "../../core/index.js";
import { createLedgerNote, overlaidStore, type LedgerNote, type TakenFiles } from "../../harness/index.js";
import { filesAt, type CommandIo } from "../terminal/io.js";

export interface ControlPlace {
  /** Paths are relative to the working folder. */
  readonly files: FilePort;
  readonly env: CommandIo["env"];
  readonly store: CassetteStore;
  /** Adds a line to the ledger of `cassette record` and `cassette replay`. */
  readonly note: LedgerNote;
  /** The files that this server recorded. */
  readonly taken: TakenFiles;
}

export function createPlace(io: CommandIo): ControlPlace {
  const { env } = io;
  const files = filesAt(io);
  const store = overlaidStore(createCassetteStore(files), files, env);
  return { files, env, store, note: createLedgerNote(files, env), taken: new Map() };
}
