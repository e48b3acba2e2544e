// Compares the behaviour of two recordings: their tool calls (name and arguments, not ids), how their turns ended and, unless it
// is ignored, the assistant's text. Prompts, tool results, usage and models are not compared.

import { defined, toPointer } from "../../core/index.js";
import type { Cassette } from "../file/format.js";
import type { ToleranceUse } from "../tolerance/uses.js";
import { callSetsOf, likenessBy, unlikeBy, type ComparedCall } from "./align/call-sets.js";
import { contentFacts } from "./contents.js";
import type { CallFact, Drift, DriftFact } from "./drift.js";
import { matchItems, type Match } from "./align/match.js";
import { pairMoves } from "./calls/moves.js";
import { parseDiffOptions, type DiffOptions, type DiffSettings } from "./options.js";
import { findRegroupings, type Regrouping } from "./calls/regroup.js";
import { findRetries } from "./calls/retries.js";
import { sentenceOf } from "./sentence.js";
import type { ItemSet } from "./align/sets.js";
import { rowsOf, stopFacts, type TurnRow } from "./timeline.js";

/** A turn of the old run, of the new run or of both, and the indices of its drifts in the result of `diffCassettes`. */
export interface TurnPair extends TurnRow {
  drifts: number[];
}

export interface CassetteDiff {
  drifts: Drift[];
  /** Every tolerance that made different arguments equal. */
  tolerances: ToleranceUse[];
}

/**
 * Lists every drift from `a` to `b`: first of tool calls, then of stop reasons, then of texts. Throws `CassetteError` "invalid-options" or
 * "diff-too-large".
 */
export function diffCassettes(a: Cassette, b: Cassette, options: DiffOptions = {}): Drift[] {
  return compareCassettes(a, b, options).drifts;
}

/** {@link diffCassettes} with the tolerances that it used. Throws like it. */
export function compareCassettes(a: Cassette, b: Cassette, options: DiffOptions = {}): CassetteDiff {
  const settings = parseDiffOptions(options);
  const { drifts } = compare(a, b, settings);
  return { drifts, tolerances: settings.equality.uses() };
}

/**
 * Pairs the turns of both runs side by side. It lists every turn of both sides exactly once, in order, and each drift at every turn that
 * it affects. Turns are paired in order even if the order of calls does not count. Throws like `diffCassettes`.
 */
export function alignTurns(a: Cassette, b: Cassette, options: DiffOptions = {}): TurnPair[] {
  const settings = parseDiffOptions(options);
  const { drifts, rows } = compare(a, b, settings);
  const ordered = settings.order.inTurns ? rows : compare(a, b, parseDiffOptions({ ...options, order: "strict" })).rows;
  const pairs = ordered.map((row): TurnPair => ({ ...row, drifts: [] }));
  const oldPairs = new Map(pairs.map((pair) => [pair.old, pair]));
  const newPairs = new Map(pairs.map((pair) => [pair.new, pair]));
  drifts.forEach((drift, index) => {
    const touched = new Set([
      ...turnsOf(drift, "old").map((turn) => oldPairs.get(turn)),
      ...turnsOf(drift, "new").map((turn) => newPairs.get(turn)),
    ]);
    for (const pair of touched) pair?.drifts.push(index);
  });
  return pairs;
}

function turnsOf(drift: Drift, side: "old" | "new"): number[] {
  if (side === "old") {
    if (drift.kind === "parallelised") return drift.oldTurns;
    return "oldTurn" in drift ? [drift.oldTurn] : [];
  }
  if (drift.kind === "serialised") return drift.newTurns;
  return "newTurn" in drift ? [drift.newTurn] : [];
}

function compare(a: Cassette, b: Cassette, settings: DiffSettings): { drifts: Drift[]; rows: TurnRow[] } {
  const { order, equality } = settings;
  const [old, now] = [callSetsOf(a, settings), callSetsOf(b, settings)];
  const { matches, steps } = matchCalls(old, now, settings);
  for (const match of matches) if ("old" in match && "new" in match) equality.note(match.old.call, match.new.call);
  // Where turns have no order, only the ends of the two runs can be compared.
  const lastTurns = { old: a.entries.length - 1, new: b.entries.length - 1 };
  const rows = order.inTurns ? rowsOf(a, b, old, now, steps) : [lastTurns];
  const facts = [
    ...callFacts(matches, old, now, settings),
    ...(settings.stops ? stopFacts(a, b, rows) : []),
    ...(settings.content ? contentFacts(a, b) : []),
  ].filter(({ kind }) => !order.allowed.includes(kind));
  return { drifts: facts.map((fact) => ({ ...fact, sentence: sentenceOf(fact) })), rows };
}

type CallSets = readonly ItemSet<ComparedCall>[];

/** Counts the drifts of calls from one run to another. Throws "diff-too-large". */
export function countCallDrifts(old: CallSets, now: CallSets, settings: DiffSettings): number {
  const facts = callFacts(matchCalls(old, now, settings).matches, old, now, settings);
  return facts.filter(({ kind }) => !settings.order.allowed.includes(kind)).length;
}

function matchCalls(old: CallSets, now: CallSets, settings: DiffSettings) {
  const isAlike = likenessBy(settings, old, now);
  return matchItems(old, now, {
    terms: { freeAdditions: settings.order.freeAdditions, ...defined({ isAlike }) },
    unlike: unlikeBy(settings),
    refine: pairMoves,
  });
}

/** Differences in tool calls, in the order of the new run. Turns that were split or joined come first. */
function callFacts(
  found: readonly Match<ComparedCall>[],
  old: CallSets,
  now: CallSets,
  { order, equality }: DiffSettings,
): DriftFact[] {
  const { matches, regroupings } = findRegroupings(found, old, now);
  const retries = order.inTurns ? findRetries(matches, now) : new Map<ComparedCall, ComparedCall>();
  const facts = matches.flatMap((match): DriftFact[] => {
    switch (match.kind) {
      case "same":
        return [];
      case "added": {
        const origin = retries.get(match.new);
        const fact = { ...factOf(match.new), ...newPlace(match.new) };
        return [origin === undefined ? { kind: "added", ...fact } : { kind: "retried", ...fact, ...oldPlace(origin) }];
      }
      case "removed":
        return [{ kind: "removed", ...factOf(match.old), ...oldPlace(match.old) }];
      case "moved":
        return [{ kind: "moved", ...factOf(match.new), ...oldPlace(match.old), ...newPlace(match.new) }];
      case "changed": {
        const changes = equality.changes(match.old.call, match.new.call);
        const places = { ...oldPlace(match.old), ...newPlace(match.new) };
        return [{ kind: "args-changed", tool: match.new.name, ...places, changes }];
      }
    }
  });
  return [...regroupings.map(regroupingFact), ...facts];
}

function regroupingFact({ kind, pairs }: Regrouping<ComparedCall>): DriftFact {
  const oldTurns = distinct(pairs.map((pair) => pair.old.turn));
  const newTurns = distinct(pairs.map((pair) => pair.new.turn));
  const [oldTurn = 0, newTurn = 0] = [oldTurns[0], newTurns[0]];
  const [oldPointer, newPointer] = [toPointer(["entries", oldTurn]), toPointer(["entries", newTurn])];
  const places = { oldTurn, oldPointer, newTurn, newPointer };
  const tools = pairs.map((pair) => pair.new.name).sort();
  return kind === "serialised" ? { kind, tools, ...places, newTurns } : { kind, tools, ...places, oldTurns };
}

function distinct(turns: readonly number[]): number[] {
  return [...new Set(turns)].sort((x, y) => x - y);
}

function factOf({ call }: ComparedCall): CallFact {
  const { name: tool, arguments: args, malformedArguments } = call;
  return { tool, arguments: args, ...defined({ malformedArguments }) };
}

function oldPlace({ turn, pointer }: ComparedCall) {
  return { oldTurn: turn, oldPointer: pointer };
}

function newPlace({ turn, pointer }: ComparedCall) {
  return { newTurn: turn, newPointer: pointer };
}
