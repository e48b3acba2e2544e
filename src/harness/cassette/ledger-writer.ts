// The ledger: how a test run used each cassette, for the command that started the run.

import { dirname, relative, resolve, sep } from "node:path";
import { CassetteError, createRedactor, type MissReport, type RedactOption } from "../../cassette/index.js";
import { defined, type FilePort } from "../../core/index.js";
import { once, type RunEnd } from "./run-end.js";

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
  /** Turns from an older recording: after `from-first-miss` and `fork`, and in mode `replay` if `from-first-miss` changed nothing. */
  kept?: number;
  /** In mode `unfinished`: the first request that the cassette did not answer, or its unused turns. `cassette ui` shows it. */
  miss?: NotedMiss;
}

/** A miss, or for a request that is not a turn, and for unused turns, the code and the description. */
export type NotedMiss = MissReport | { code: string; what: string; pointer?: string };

/** Why a replay failed, if no turn missed: a request that is not a turn, or turns that nobody asked for. */
const OTHER_MISSES: readonly string[] = ["exchange-missing", "exchange-changed", "unconsumed"];

/** The miss of a failed replay for its line. Empty for another error. */
function missOf(error: unknown, redact: RedactOption | undefined): Pick<LedgerLine, "miss"> {
  if (!(error instanceof CassetteError)) return {};
  const { code, summary: what, pointer, miss } = error;
  if (miss !== undefined) return { miss: redactMiss(miss, redact) };
  return OTHER_MISSES.includes(code) ? { miss: redactMiss({ code, what, ...defined({ pointer }) }, redact) } : {};
}

/** A miss quotes the request, so it is redacted like a recording. */
function redactMiss(miss: NotedMiss, redact: RedactOption | undefined): NotedMiss {
  return createRedactor(redact).json({ ...miss });
}

/** Adds a line to the ledger, if there is one. Throws `CassetteError` `file-unreadable`. */
export type Note = (
  file: string,
  mode: LedgerLine["mode"],
  size: Omit<LedgerLine, "file" | "path" | "mode">,
) => Promise<void>;

/** Notes a failed test. An error here is ignored, since the test has its own. */
export async function noteUnfinished(note: Note, file: string, miss: Pick<LedgerLine, "miss"> = {}): Promise<void> {
  await note(file, "unfinished", { turns: 0, ...miss }).catch(() => undefined);
}

/** As {@link once}, and names a failed run in the ledger, with its miss, so that `cassette prune` keeps its cassette. */
export function onceNamed(
  note: Note,
  file: string,
  finish: (ended: RunEnd) => Promise<void>,
  redact?: RedactOption,
): (ended?: RunEnd) => Promise<void> {
  return once(async (ended) => {
    try {
      await finish(ended);
    } catch (error) {
      await noteUnfinished(note, file, missOf(error, redact));
      throw error;
    }
    if (ended.failed === true) await noteUnfinished(note, file);
  });
}

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
