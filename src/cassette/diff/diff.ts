// Compares what two recordings did: the sequence of tool calls (name and canonical arguments, ids ignored) and, unless
// told otherwise, what the assistant said. Prompts, tool results, usage and models take no part.

import type { Cassette } from "../format.js";
import type { Tolerances } from "../tolerance/tolerances.js";
import type { ToleranceUse } from "../tolerance/uses.js";
import { callsOf, type RecordedCall } from "./calls.js";
import type { CallFact, Drift, DriftFact } from "./drift.js";
import { matchItems, type Item } from "./match.js";
import { pairMoves } from "./moves.js";
import { createCallRules, type CallRules } from "./rules.js";
import { sentenceOf } from "./sentence.js";

export interface DiffOptions {
  /** Leaves out what the assistant said. Default false. */
  ignoreContent?: boolean;
  /**
   * Places in tool arguments that take no part: `/arg/path` for every tool, `tool:/arg/path` for one, `*` for any one
   * key or index.
   */
  ignore?: readonly string[];
  /** In which ways different arguments count as equal. Default: in none. */
  tolerances?: Tolerances;
}

/** A comparison, and what it rested on. */
export interface CassetteDiff {
  drifts: Drift[];
  /** Every tolerance that made different arguments equal. */
  tolerances: ToleranceUse[];
}

/** Every drift from `a`, the old run, to `b`, the new one: first of tool calls, then of texts. Empty means none. */
export function diffCassettes(a: Cassette, b: Cassette, options: DiffOptions = {}): Drift[] {
  return compareCassettes(a, b, options).drifts;
}

/** The same with the tolerances that were used. */
export function compareCassettes(a: Cassette, b: Cassette, options: DiffOptions = {}): CassetteDiff {
  const rules = createCallRules(options);
  const drifts = callDrifts(a, b, rules);
  if (options.ignoreContent !== true) drifts.push(...contentDrifts(a, b));
  return { drifts, tolerances: rules.uses() };
}

interface ComparedCall extends Item {
  call: RecordedCall;
}

/** Differences in tool calls, in the order of the new run. */
function callDrifts(a: Cassette, b: Cassette, rules: CallRules): Drift[] {
  const drifts: Drift[] = [];
  for (const match of matchItems(comparedCalls(a, rules), comparedCalls(b, rules), pairMoves)) {
    if (match.kind !== "added" && match.kind !== "removed") rules.note(match.old.call, match.new.call);
    switch (match.kind) {
      case "same":
        break;
      case "added":
        drifts.push(told({ kind: "added", ...factOf(match.new), newTurn: match.new.turn }));
        break;
      case "removed":
        drifts.push(told({ kind: "removed", ...factOf(match.old), oldTurn: match.old.turn }));
        break;
      case "moved":
        drifts.push(told({ kind: "moved", ...factOf(match.new), oldTurn: match.old.turn, newTurn: match.new.turn }));
        break;
      case "changed": {
        const { old, new: now } = match;
        const changes = rules.changes(old.call, now.call);
        if (changes.length === 0) break;
        drifts.push(told({ kind: "args-changed", tool: now.name, oldTurn: old.turn, newTurn: now.turn, changes }));
        break;
      }
    }
  }
  return drifts;
}

/** The calls with what is compared, in the order of turns; inside a turn, which is a set, in the order of keys. */
function comparedCalls(cassette: Cassette, rules: CallRules): ComparedCall[] {
  const calls = callsOf(cassette).map((call): ComparedCall => {
    const { turn, name } = call;
    return { turn, name, key: rules.keysOf(call).key, call };
  });
  // The whole key decides between calls that differ in ignored places alone, whose order must not matter either.
  return calls.sort((x, y) => x.turn - y.turn || compare(x.key, y.key) || compare(x.call.key, y.call.key));
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

function factOf({ call }: ComparedCall): CallFact {
  return {
    tool: call.name,
    arguments: call.arguments,
    ...(call.malformedArguments === undefined ? {} : { malformedArguments: call.malformedArguments }),
  };
}

/** Differences in what the assistant said, in the order of the new run. */
function contentDrifts(a: Cassette, b: Cassette): Drift[] {
  const drifts: Drift[] = [];
  for (const match of matchItems(textsOf(a), textsOf(b))) {
    switch (match.kind) {
      case "same":
      case "moved":
        break;
      case "added":
        drifts.push(told({ kind: "content-added", newTurn: match.new.turn, new: match.new.key }));
        break;
      case "removed":
        drifts.push(told({ kind: "content-removed", oldTurn: match.old.turn, old: match.old.key }));
        break;
      case "changed": {
        const { old, new: now } = match;
        drifts.push(
          told({ kind: "content-changed", oldTurn: old.turn, newTurn: now.turn, old: old.key, new: now.key }),
        );
        break;
      }
    }
  }
  return drifts;
}

/** The turns in which the assistant said something; the text is the key, and any text may have become any other. */
function textsOf(cassette: Cassette): Item[] {
  return cassette.entries
    .filter((entry) => entry.response.message.content !== "")
    .map((entry) => ({ turn: entry.turnIndex, key: entry.response.message.content, name: "" }));
}

function told(fact: DriftFact): Drift {
  return { ...fact, sentence: sentenceOf(fact) };
}
