// Recognises and reads the reports of a folder: verdicts of `drift`, mutants of `mutate`, and misses that a test run or a command noted.
// Every field is checked, since anyone may have written the file.

import { open } from "node:fs/promises";
import { dirname, relative, resolve, sep } from "node:path";
import { cutAround, type MissReport } from "../../cassette/index.js";
import { defined, isPlainObject, shorten, type JsonValue } from "../../core/index.js";
import {
  MUTANT_KINDS,
  type CandidateReports,
  type GateReport,
  type NotedMiss,
  type UiMiss,
  type UiMutant,
  type UiMutants,
} from "../../harness/index.js";
import { isWithin } from "../../host/index.js";
import { MAX_UI_HEAD_BYTES, MAX_UI_MISSES, MAX_UI_REASON_CHARACTERS } from "../limits.js";
import { count } from "../terminal/output.js";

/** The kind of a report by its first bytes. `document`: the JSON of a command. */
export type ReportForm = "document" | "mutants" | "ledger";

/** Undefined for a file of another kind. Throws what the system throws. */
export async function recogniseReport(path: string): Promise<ReportForm | undefined> {
  const handle = await open(path);
  try {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAX_UI_HEAD_BYTES), 0, MAX_UI_HEAD_BYTES, 0);
    const head = buffer.toString("utf8", 0, bytesRead);
    if (!path.endsWith(".jsonl")) return /^\s*\{\s*"schemaVersion":\s*1\b/.test(head) ? "document" : undefined;
    if (/^\{"line":"plan","reportVersion":/.test(head)) return "mutants";
    // The first lines may be damaged.
    return /^\{"file":".*"mode":"/m.test(head) ? "ledger" : undefined;
  } finally {
    await handle.close();
  }
}

/** A verdict, those of several candidates, why nothing was compared, or misses. Undefined for the document of another command. */
export type ReadDocument =
  | { kind: "verdict"; report: GateReport }
  | { kind: "candidates"; candidates: CandidateReports }
  | { kind: "refusal"; code: string; message: string }
  | ReadMisses
  | undefined;

/** The misses of a file, and how many more it has than are listed. */
export interface ReadMisses {
  readonly kind: "misses";
  readonly misses: readonly NamedMiss[];
  readonly more: number;
}

/** A miss with a name that no other miss of its file has. */
export interface NamedMiss extends UiMiss {
  readonly name: string;
}

/** Throws a `SyntaxError` for text that is not JSON. */
export function readDocument(text: string): ReadDocument {
  const value: unknown = JSON.parse(text);
  if (!isPlainObject(value)) return undefined;
  const { command, file, kind, report, misses, alpha, reports } = value;
  if (command === "why") {
    const miss = kind === "miss" ? toMiss(report) : undefined;
    if (miss === undefined || typeof file !== "string") return undefined;
    return listed([{ name: file, recording: file, report: miss }]);
  }
  if (command === "serve") return Array.isArray(misses) ? listed(servedMisses(misses)) : undefined;
  const isVerdict = command === undefined || command === "drift";
  if (!isVerdict) return undefined;
  if (typeof alpha === "number" && Array.isArray(reports) && reports.length > 0 && reports.every(isGateReport)) {
    return { kind: "candidates", candidates: { alpha, reports: reports as GateReport[] } };
  }
  if (value["compared"] === false) return toRefusal(value["refused"]);
  if (!isGateReport(value)) return undefined;
  return { kind: "verdict", report: value as unknown as GateReport };
}

/** Why `drift` compared nothing: the first reason, and the number of the others. */
function toRefusal(refused: unknown): ReadDocument {
  const reasons: unknown[] = Array.isArray(refused) ? refused : [];
  const [first, ...more] = reasons.filter(isPlainObject);
  const message = shorten(textOf(first?.["message"]) ?? "no reason is given", MAX_UI_REASON_CHARACTERS);
  const file = textOf(first?.["file"]);
  const place = file === undefined ? "" : `${shorten(file, MAX_UI_REASON_CHARACTERS)}: `;
  const others = more.length === 0 ? "" : `, and ${count(more.length, "more reason")}`;
  const code = textOf(first?.["code"]) ?? "nothing-to-compare";
  return { kind: "refusal", code, message: `${place}${message}${others}` };
}

/** Checks only what tells it from other documents. A page of an incomplete one fails, which is shown. */
function isGateReport(value: unknown): boolean {
  if (!isPlainObject(value)) return false;
  const { verdict, reason, settings, scenarios, failures } = value;
  const isText = typeof verdict === "string" && typeof reason === "string";
  return isText && isPlainObject(settings) && Array.isArray(scenarios) && Array.isArray(failures);
}

function listed(misses: readonly NamedMiss[]): ReadMisses {
  const shown = misses.slice(0, MAX_UI_MISSES);
  return { kind: "misses", misses: shown, more: misses.length - shown.length };
}

function servedMisses(misses: readonly unknown[]): NamedMiss[] {
  return misses.flatMap((miss, index) => {
    if (!isPlainObject(miss) || typeof miss["message"] !== "string" || typeof miss["code"] !== "string") return [];
    const recording = typeof miss["file"] === "string" ? miss["file"] : "no recording";
    const pointer = textOf(miss["pointer"]);
    const report = { code: miss["code"], what: miss["message"], ...defined({ pointer }) };
    return [{ name: `${recording} #${index + 1}`, recording, report }];
  });
}

/** The misses of a ledger: of each recording, that of its last line. A later replay without a miss clears it. */
export function readLedgerMisses(text: string, ledger: string, root: string): ReadMisses {
  const misses = new Map<string, NamedMiss>();
  for (const line of text.split("\n")) {
    const value = parse(line);
    if (!isPlainObject(value) || typeof value["path"] !== "string" || typeof value["file"] !== "string") continue;
    const path = resolve(dirname(ledger), value["path"]);
    const place = relative(root, path).replaceAll(sep, "/");
    const isInside = place !== "" && isWithin(root, path);
    const name = isInside ? place : value["file"];
    misses.delete(name);
    const report = toMiss(value["miss"]);
    if (report === undefined) continue;
    misses.set(name, { name, recording: name, report, ...(isInside ? { link: place } : {}) });
  }
  return listed([...misses.values()]);
}

function toMiss(value: unknown): NotedMiss | undefined {
  if (!isPlainObject(value)) return undefined;
  const { code, turn, what, hint, nearest, pointer, recorded, actual, also, filters } = value;
  if (typeof code !== "string" || typeof what !== "string") return undefined;
  if (typeof turn !== "number" || typeof hint !== "string")
    return { code, what, ...defined({ pointer: textOf(pointer) }) };
  const near = isPlainObject(nearest) && typeof nearest["turnIndex"] === "number" ? nearest : undefined;
  return {
    code: code as MissReport["code"],
    turn,
    what,
    hint,
    ...defined({
      nearest: near && { turnIndex: near["turnIndex"] as number, used: near["used"] === true },
      pointer: textOf(pointer),
      recorded: textOf(recorded),
      actual: textOf(actual),
      also: textsOf(also),
      filters: textsOf(filters),
    }),
  };
}

/** Reads a report of `mutate`, of which the last line may be half written. The last line of a mutant counts. */
export function readMutants(text: string): UiMutants {
  // What follows the last line break is still being written.
  const [head = "", ...lines] = text.split("\n").slice(0, -1);
  const plan = parse(head);
  const { command, seed } = isPlainObject(plan) ? plan : {};
  const mutants = new Map<string, UiMutant>();
  let unreadable = 0;
  for (const line of lines) {
    const mutant = toMutant(parse(line));
    if (mutant === undefined) unreadable++;
    else mutants.set(mutant.id, mutant);
  }
  return { command: textsOf(command) ?? [], seed: textOf(seed) ?? "", mutants: [...mutants.values()], unreadable };
}

const OUTCOMES: readonly unknown[] = ["noticed", "survived", "unused"] satisfies UiMutant["outcome"][];

function toMutant(value: unknown): UiMutant | undefined {
  if (!isPlainObject(value) || value["line"] !== "mutant") return undefined;
  const { id, kind, file, turn, pointer, sentence, outcome, isTimedOut } = value;
  const areTexts = [id, file, pointer, sentence].every((each) => typeof each === "string");
  if (!areTexts || typeof turn !== "number" || !OUTCOMES.includes(outcome)) return undefined;
  if (!(MUTANT_KINDS as readonly unknown[]).includes(kind)) return undefined;
  const [old, now] = cutAround(value["old"] as JsonValue | undefined, value["new"] as JsonValue | undefined);
  const texts = { id, file, pointer, sentence } as Pick<UiMutant, "id" | "file" | "pointer" | "sentence">;
  const known = { kind: kind as UiMutant["kind"], outcome: outcome as UiMutant["outcome"] };
  return { ...texts, ...known, turn, old, new: now, isTimedOut: isTimedOut === true };
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line) as unknown;
  } catch {
    return undefined;
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" ? value : undefined;
}

function textsOf(value: unknown): string[] | undefined {
  const texts = Array.isArray(value) ? value.filter((each) => typeof each === "string") : [];
  return texts.length === 0 ? undefined : texts;
}
