// The path a run took, reduced to what is compared, and how far two paths are from each other. A turn is a set of calls, so
// the order of parallel calls is nothing; turns without calls are left out.
//
// The distance is the edit distance of the turns, where a turn is changed into another for the mean of the Jaccard distances
// of their calls and of their tools, normalised as by L. Yujian and L. Bo, "A normalized Levenshtein distance metric" (IEEE
// PAMI 29, 2007), which keeps the triangle inequality.

import { callsOf, parseIgnore, callKey, type Cassette } from "../../cassette/index.js";
import { sha256Hex } from "../../core/index.js";
import type { GateSettings } from "./report.js";

export interface TrajectoryOptions {
  ignore: readonly string[];
  order: GateSettings["order"];
  /** What the assistant said is compared like a call. */
  content: boolean;
}

/** One call of a turn: its tool, and its text, which is its identity. */
export interface Step {
  tool: string;
  text: string;
}

export interface Trajectory {
  /** Equal keys took the same path. */
  key: string;
  turns: Step[][];
}

/** Longer calls are cut and end in a part of their hash. */
const MAX_TEXT = 200;
/** Turns beyond this are compared as one set, since the table of all pairs would take minutes. */
const MAX_TURNS = 2_000;

/** The path of a recording. Throws "invalid-options" for an `ignore` that is no pointer. */
export function trajectoryOf(cassette: Cassette, options: TrajectoryOptions): Trajectory {
  const filled = stepsOf(cassette, options).filter((turn) => turn.length > 0);
  const isSet = options.order !== "strict" || filled.length > MAX_TURNS;
  const compared = isSet ? [filled.flat().sort(byText)] : filled;
  return { key: sha256Hex(JSON.stringify(compared)), turns: compared };
}

/** The calls of every turn, sorted. */
function stepsOf(cassette: Cassette, { ignore, content }: TrajectoryOptions): Step[][] {
  const rules = parseIgnore(ignore);
  const turns: Step[][] = cassette.entries.map(({ response }) =>
    content && response.message.content !== ""
      ? [toStep("says", `says ${JSON.stringify(response.message.content)}`)]
      : [],
  );
  for (const call of callsOf(cassette)) {
    const key = callKey({ ...call, arguments: rules.prune(call.name, call.arguments) });
    turns[call.turn]?.push(toStep(call.name, key));
  }
  return turns.map((turn) => turn.sort(byText));
}

/** Every turn of both sides once, in order; turns that became each other stand together. */
export function alignTurns(a: Cassette, b: Cassette, options: TrajectoryOptions): { old?: number; new?: number }[] {
  const [old, now] = [stepsOf(a, options), stepsOf(b, options)];
  if (Math.max(old.length, now.length) > MAX_TURNS) return pairByPlace(old.length, now.length);
  // The price of turning the turns from `i` on into those from `j` on, last turn first.
  const width = now.length + 1;
  const prices = new Float64Array((old.length + 1) * width);
  const price = (i: number, j: number): number => prices[i * width + j] as number;
  for (let i = old.length; i >= 0; i--) {
    for (let j = now.length; j >= 0; j--) {
      if (i === old.length || j === now.length) prices[i * width + j] = old.length - i + now.length - j;
      else {
        const pair = price(i + 1, j + 1) + turnDistance(old[i] as Step[], now[j] as Step[]);
        prices[i * width + j] = Math.min(pair, price(i + 1, j) + 1, price(i, j + 1) + 1);
      }
    }
  }
  const pairs: { old?: number; new?: number }[] = [];
  for (let i = 0, j = 0; i < old.length || j < now.length;) {
    const isPair =
      i < old.length &&
      j < now.length &&
      price(i, j) >= price(i + 1, j + 1) + turnDistance(old[i] as Step[], now[j] as Step[]) - 1e-12;
    if (isPair) pairs.push({ old: i++, new: j++ });
    else if (i < old.length && (j === now.length || price(i, j) >= price(i + 1, j) + 1 - 1e-12))
      pairs.push({ old: i++ });
    else pairs.push({ new: j++ });
  }
  return pairs;
}

function pairByPlace(old: number, now: number): { old?: number; new?: number }[] {
  return Array.from({ length: Math.max(old, now) }, (_, turn) => ({
    ...(turn < old ? { old: turn } : {}),
    ...(turn < now ? { new: turn } : {}),
  }));
}

/** 0 for the same path, at most 1; a metric. */
export function trajectoryDistance(a: Trajectory, b: Trajectory): number {
  if (a.key === b.key) return 0;
  let row = Array.from({ length: b.turns.length + 1 }, (_, index) => index);
  a.turns.forEach((turn, index) => {
    const next = [index + 1];
    b.turns.forEach((other, column) => {
      const [above, left] = [row[column + 1] as number, next[column] as number];
      next.push(Math.min(above + 1, left + 1, (row[column] as number) + turnDistance(turn, other)));
    });
    row = next;
  });
  const edits = row[b.turns.length] as number;
  const length = a.turns.length + b.turns.length;
  return length + edits === 0 ? 0 : (2 * edits) / (length + edits);
}

function turnDistance(a: readonly Step[], b: readonly Step[]): number {
  return (
    (jaccard(
      a.map(({ text }) => text),
      b.map(({ text }) => text),
    ) +
      jaccard(
        a.map(({ tool }) => tool),
        b.map(({ tool }) => tool),
      )) /
    2
  );
}

/** 1 less the share of what two multisets have in common. */
function jaccard(a: readonly string[], b: readonly string[]): number {
  const left = new Map<string, number>();
  for (const item of a) left.set(item, (left.get(item) ?? 0) + 1);
  let shared = 0;
  for (const item of b) {
    const count = left.get(item) ?? 0;
    if (count > 0) shared++;
    left.set(item, count - 1);
  }
  const all = a.length + b.length - shared;
  return all === 0 ? 0 : 1 - shared / all;
}

function toStep(tool: string, text: string): Step {
  if (text.length <= MAX_TEXT) return { tool, text };
  return { tool, text: `${text.slice(0, MAX_TEXT).toWellFormed()}… #${sha256Hex(text.toWellFormed()).slice(0, 12)}` };
}

function byText(a: Step, b: Step): number {
  return a.text < b.text ? -1 : a.text > b.text ? 1 : 0;
}
