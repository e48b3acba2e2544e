// The result of every record of an import.

import type { RepairKind } from "../../cassette/index.js";
import type { Failure } from "../errors.js";
import { MAX_REFUSALS, MAX_REFUSAL_KINDS } from "../limits.js";
import { count, toJsonError, type PrintLine } from "../terminal/output.js";

interface WrittenRun {
  file: string;
  log: string;
  model: string;
  task: string;
  trial?: string;
  turns: number;
  /** Present if there are any. */
  exchanges?: number;
}

/** Every record of an import is in one of these lists, or counted. */
export interface Tally {
  written: WrittenRun[];
  /** Existing files that were not replaced. */
  existed: { file: string; log: string }[];
  refused: Failure[];
  /** All refusals by kind, to print. */
  kinds: RefusalKinds;
  /** Records refused after the first {@link MAX_REFUSALS}. */
  refusedMore: number;
  /** A log was not read to its end because of a limit. */
  isCutShort: boolean;
  /** Repairs in written cassettes. */
  repairs: Map<RepairKind, number>;
  /** By redaction rule, the number of written cassettes. */
  redacted: Map<string, number>;
}

export function createTally(): Tally {
  return {
    written: [],
    existed: [],
    refused: [],
    kinds: createRefusalKinds(),
    refusedMore: 0,
    isCutShort: false,
    repairs: new Map(),
    redacted: new Map(),
  };
}

/** Tallies a record that did not become a cassette. */
export function refuseRecord(tally: Tally, failure: Failure): void {
  tally.kinds.add(failure);
  if (tally.refused.length < MAX_REFUSALS) tally.refused.push(failure);
  else tally.refusedMore++;
}

/** Tallies a log that could not be read to its end. It is always listed. */
export function refuseLog(tally: Tally, failure: Failure): void {
  tally.kinds.add(failure);
  tally.refused.push(failure);
  if (failure.code === "log-too-large" || failure.code === "too-large") tally.isCutShort = true;
}

export function countRefused({ refused, refusedMore }: Tally): number {
  return refused.length + refusedMore;
}

export function toJsonTally(tally: Tally): object {
  const { written, existed, refused, refusedMore, repairs, redacted } = tally;
  return {
    written,
    existed,
    refused: refused.map(toJsonError),
    refusedMore,
    repairs: Object.fromEntries(sorted(repairs)),
    redacted: Object.fromEntries(sorted(redacted)),
    summary: { written: written.length, existed: existed.length, refused: countRefused(tally) },
  };
}

export function printTally(line: PrintLine, tally: Tally, out: string): void {
  const { written, existed, refused, kinds, repairs, redacted } = tally;
  const lines = kinds.print(line);
  const refusals = countRefused(tally);
  const listed = refused.length < refusals ? `the first ${refused.length} of ${refusals}` : `all ${refusals}`;
  if (lines < refusals) line(`         --json lists ${listed} refusals one by one`);
  for (const { file } of existed)
    line({ look: "warn", text: "existed  " }, file, "  not replaced; --force replaces it");
  const exchanges = written.reduce((sum, run) => sum + (run.exchanges ?? 0), 0);
  if (exchanges > 0) line(`kept ${count(exchanges, "exchange")}`);
  for (const [kind, total] of sorted(repairs)) line(`repaired ${total} ${kind}`);
  for (const [rule, total] of sorted(redacted)) line(`redacted ${rule} in ${count(total, "cassette")}`);
  const isWhole = existed.length + countRefused(tally) === 0;
  line(
    { look: isWhole ? "good" : "bad", text: `${count(written.length, "cassette")} written to ` },
    out,
    `, ${existed.length} existed already, ${countRefused(tally)} refused`,
  );
}

function sorted<Kind extends string>(counts: ReadonlyMap<Kind, number>): [Kind, number][] {
  return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

/** Refusals of one log and code whose messages differ only in numbers, such as the line. */
interface RefusalKind {
  first: Failure;
  count: number;
  /** True for the sum of all kinds beyond {@link MAX_REFUSAL_KINDS}. */
  isMixed: boolean;
}

/** Kinds in the order of their first refusal. The memory depends on the number of kinds, not of refusals. */
interface RefusalKinds {
  add(failure: Failure): void;
  /** Prints a line for each kind, and returns their number. */
  print(line: PrintLine): number;
}

function createRefusalKinds(): RefusalKinds {
  const kinds = new Map<string, RefusalKind>();
  const perCode = new Map<string, number>();
  return {
    add(first) {
      const code = JSON.stringify([first.file, first.code]);
      const key = code + first.message.replace(/\d+/g, "0");
      const distinct = perCode.get(code) ?? 0;
      const known = kinds.get(key) ?? (distinct < MAX_REFUSAL_KINDS ? undefined : kinds.get(code));
      if (known !== undefined) {
        known.count++;
        return;
      }
      const isMixed = distinct >= MAX_REFUSAL_KINDS;
      kinds.set(isMixed ? code : key, { first, count: 1, isMixed });
      perCode.set(code, distinct + 1);
    },
    print(line) {
      for (const kind of kinds.values()) printKind(kind, line);
      return kinds.size;
    },
  };
}

function printKind({ first: { code, message, file, hint }, count, isMixed }: RefusalKind, line: PrintLine): void {
  const like = isMixed ? `the first of ${count} others with that code` : `the first of ${count} like it`;
  const more = count > 1 ? `  (${like})` : "";
  line({ look: "bad", text: "refused  " }, file ?? "", `  ${code}: ${message}${more}`);
  if (hint !== undefined) line("         ", hint);
}
