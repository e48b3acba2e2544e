// The ledger: a file with a line for every cassette that `useCassette` recorded or replayed. `cassette record` and `cassette replay`
// read it when their command has ended.

import { dirname, resolve } from "node:path";
import type { FilePort } from "../../core/index.js";
import { pathInLedger, type LedgerLine } from "../../harness/index.js";
import { CliError } from "../errors.js";
import { MAX_LEDGER_BYTES } from "../limits.js";
import { whyUnread } from "../options/file.js";

const MODES: readonly unknown[] = [
  "record",
  "refresh",
  "replay",
  "from-first-miss",
  "fork",
  "failed",
  "live",
  "unfinished",
] satisfies LedgerLine["mode"][];

/** A line about a cassette that was recorded or replayed. */
export type UsedLine = LedgerLine & { mode: Exclude<LedgerLine["mode"], "live" | "unfinished"> };

/** Every `path` is absolute. */
export interface Ledger {
  lines: UsedLine[];
  /** Paths of the cassettes of tests that ran in mode `live` or failed. The files need not exist. */
  named: string[];
  /** The number of lines that `useCassette` did not write, or 1 for a file that cannot be read. */
  unreadable: number;
}

/** Reads the ledger at an absolute path. A missing ledger is empty. */
export async function readLedger(files: FilePort, path: string): Promise<Ledger> {
  const result = await files.read(path, MAX_LEDGER_BYTES);
  if (result.kind === "not-found") return { lines: [], named: [], unreadable: 0 };
  if (result.kind !== "read") return { lines: [], named: [], unreadable: 1 };
  const texts = new TextDecoder()
    .decode(result.bytes)
    .split("\n")
    .filter((text) => text !== "");
  const all = texts.map(parseLine).filter((line) => line !== undefined);
  for (const line of all) line.path = resolve(dirname(path), line.path);
  return {
    lines: all.filter(isUsed),
    named: all.filter((line) => !isUsed(line)).map((line) => line.path),
    unreadable: texts.length - all.length,
  };
}

/**
 * Adds the lines of a ledger to another, with their paths from its folder, so that `cassette ui` and `cassette prune` see them there. Throws
 * `ledger-unreadable` if it cannot be read or written.
 */
export async function passOnLedger(files: FilePort, from: string, to: string): Promise<void> {
  const result = await files.read(from, MAX_LEDGER_BYTES);
  if (result.kind === "not-found") return;
  if (result.kind !== "read")
    throw notPassedOn(to, `is not complete: that of the command ${whyUnread(result, MAX_LEDGER_BYTES)}`);
  const texts = new TextDecoder().decode(result.bytes).split("\n");
  const whole = texts.flatMap((text) => {
    const line = parseLine(text);
    // Damaged lines are kept as they are, so that the reader of the other ledger counts them.
    if (line === undefined) return text === "" ? [] : [`${text}\n`];
    const path = pathInLedger(to, resolve(dirname(from), line.path));
    return `${JSON.stringify({ ...(JSON.parse(text) as object), path })}\n`;
  });
  if (whole.length === 0) return;
  const written = await files.append(to, whole.join(""));
  if (written.kind === "written") return;
  throw notPassedOn(to, `cannot be written: ${written.kind === "failed" ? written.message : "it exists"}`);
}

function notPassedOn(to: string, why: string): CliError {
  const hint = "Check the folder of CASSETTE_LEDGER, and run the command again.";
  return new CliError("ledger-unreadable", `the ledger ${to} ${why}`, hint, to);
}

/**
 * The files with the runs of several tests, as they named them. Only the last run of each is left. A replayed line with `kept` is a test
 * whose run equals the recorded one, so a later recording replaces that run.
 */
export function recordedTwice({ lines }: Ledger): string[] {
  const seen = new Set<string>();
  const twice = new Map<string, string>();
  for (const { file, path, mode, kept } of lines) {
    if (mode === "failed" || (mode === "replay" && kept === undefined)) continue;
    if (mode !== "replay" && seen.has(path)) twice.set(path, file);
    seen.add(path);
  }
  return [...twice.values()];
}

function isUsed(line: LedgerLine): line is UsedLine {
  return line.mode !== "live" && line.mode !== "unfinished";
}

function parseLine(text: string): LedgerLine | undefined {
  try {
    const value = JSON.parse(text) as Partial<LedgerLine> | null;
    const { file, path, mode, turns, exchanges, kept } = value ?? {};
    if (typeof file !== "string" || typeof path !== "string") return undefined;
    if (!MODES.includes(mode) || typeof turns !== "number") return undefined;
    const numbers = Object.entries({ exchanges, kept }).filter(([, value]) => typeof value === "number");
    return { file, path, mode: mode as LedgerLine["mode"], turns, ...Object.fromEntries(numbers) };
  } catch {
    return undefined;
  }
}
