// Turns a comparison with a pinned run into a matcher's result: sentences for the message, and two lists for the runner's diff.

import {
  compareCassettes,
  type Cassette,
  type DiffOptions,
  type Drift,
  type ToleranceUse,
} from "../../../cassette/index.js";
import { plural, type JsonObject } from "../../../core/index.js";
import { rerecordCommand } from "../../text/rerun-commands.js";
import { misuse, type MatcherContext, type MatcherResult } from "../matcher.js";
import type { Pinned } from "./pinned.js";
import { atMost } from "../../text/at-most.js";
import { cutText } from "../../text/hide.js";

const SHOWN_SENTENCES = 10;

/** One difference: its sentence, and its value on each side that has one. */
export interface Difference {
  sentence: string;
  expected?: JsonObject;
  actual?: JsonObject;
}

/** The differences found, and the tolerances that hid others. */
export interface Found {
  differences: readonly Difference[];
  tolerances: readonly ToleranceUse[];
}

/** Finds the differences from the pinned run to the new one. Throws if a side has no turns to compare. */
export function findDifferences(matcher: string, pinned: Pinned, cassette: Cassette, options: DiffOptions): Found {
  const empty = pinned.cassette.entries.length === 0 ? pinned.name : cassette.entries.length === 0 ? "the run" : "";
  if (empty !== "") {
    throw misuse(matcher, `${empty} has no turns to compare`, "Run the agent and record it first.");
  }
  const { drifts, tolerances } = compareCassettes(pinned.cassette, cassette, options);
  return { differences: drifts.map((drift) => ({ sentence: drift.sentence, ...sidesOf(drift) })), tolerances };
}

/** Passes if there are no differences. The negated message uses `same`, which says what is equal. */
export function toResult(
  context: MatcherContext,
  pinned: Pinned,
  { differences, tolerances }: Found,
  same: string,
): MatcherResult {
  const compare = `npx playhead diff ${pinned.path} <new file>`;
  if (differences.length === 0) {
    const message = () =>
      `expected a run that differs from ${pinned.name}, but ${same}.\n` +
      `Remove .not, or check that the changed agent ran. \`${compare}\` compares two files.${usesText(tolerances)}`;
    return { pass: true, message };
  }
  return {
    pass: false,
    message: () =>
      `expected no difference from ${pinned.name}, but there ${differences.length === 1 ? "is" : "are"} ` +
      `${plural(differences.length, "difference")}:\n${listText(differences.map(({ sentence }) => sentence))}\n` +
      `If this is not intended, undo the change. To see every difference, save the run and use \`${compare}\`.\n` +
      `If this is intended, record ${pinned.name} again and review it. If this test records it: ${rerecordCommand(context)}${usesText(tolerances)}`,
    expected: differences.flatMap(({ expected }) => expected ?? []),
    actual: differences.flatMap(({ actual }) => actual ?? []),
  };
}

function listText(lines: readonly string[]): string {
  return atMost(
    lines,
    SHOWN_SENTENCES,
    (line) => `  - ${line}`,
    (rest) => `  - and ${rest} more`,
  ).join("\n");
}

/** A line for each tolerance that was used, or "" without any. */
export function usesText(uses: readonly ToleranceUse[]): string {
  if (uses.length === 0) return "";
  const lines = uses.map(({ tool, pointer, tolerance, times }) => {
    return `${cutText(`${tool}:${pointer}`)} ${cutText(tolerance)}, ${plural(times, "time")}`;
  });
  return `\nTolerances used:\n${listText(lines)}`;
}

function sidesOf(drift: Drift): Omit<Difference, "sentence"> {
  switch (drift.kind) {
    case "added":
    case "retried":
      return { actual: callSide(drift.newTurn, drift) };
    case "removed":
      return { expected: callSide(drift.oldTurn, drift) };
    case "moved":
      return { expected: callSide(drift.oldTurn, drift), actual: callSide(drift.newTurn, drift) };
    case "args-changed": {
      const { tool, oldTurn, newTurn, changes } = drift;
      // A pointer is empty or begins with "/", so it cannot be a reserved property name.
      const places = (side: "old" | "new"): JsonObject =>
        Object.fromEntries(changes.flatMap((each) => (each[side] === undefined ? [] : [[each.pointer, each[side]]])));
      return {
        expected: { turn: oldTurn, tool, at: places("old") },
        actual: { turn: newTurn, tool, at: places("new") },
      };
    }
    case "parallelised": {
      const { oldTurns, newTurn, tools } = drift;
      return { expected: { turns: oldTurns, tools }, actual: { turn: newTurn, tools } };
    }
    case "serialised": {
      const { oldTurn, newTurns, tools } = drift;
      return { expected: { turn: oldTurn, tools }, actual: { turns: newTurns, tools } };
    }
    case "stop-changed": {
      const { oldTurn, newTurn, old, new: now } = drift;
      return { expected: { turn: oldTurn, stopReason: old }, actual: { turn: newTurn, stopReason: now } };
    }
    case "content-changed":
      return { expected: { turn: drift.oldTurn, text: drift.old }, actual: { turn: drift.newTurn, text: drift.new } };
    case "content-added":
      return { actual: { turn: drift.newTurn, text: drift.new } };
    case "content-removed":
      return { expected: { turn: drift.oldTurn, text: drift.old } };
  }
}

function callSide(turn: number, call: Extract<Drift, { kind: "added" | "removed" | "moved" | "retried" }>): JsonObject {
  return { turn, tool: call.tool, arguments: call.malformedArguments ?? call.arguments };
}
