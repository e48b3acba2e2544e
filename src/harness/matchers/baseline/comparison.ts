// A comparison with a pinned run as a matcher's result: sentences for the message, and two lists that hold nothing but what
// differs, for the runner to draw.

import {
  compareCassettes,
  type Cassette,
  type DiffOptions,
  type Drift,
  type ToleranceUse,
} from "../../../cassette/index.js";
import { plural, type JsonObject, type JsonValue } from "../../../core/index.js";
import { rerecordCommand } from "./command.js";
import { misuse, type MatcherContext, type MatcherResult } from "../matcher.js";
import type { Pinned } from "./pinned.js";
import { cutText } from "../../text/hide.js";

const MAX_SENTENCES = 10;

/** One difference: its sentence, and how it looks on the side or sides where it exists. */
export interface Difference {
  sentence: string;
  expected?: JsonObject;
  actual?: JsonObject;
}

/** The differences, and the tolerances without which there would be more. */
export interface Found {
  differences: readonly Difference[];
  tolerances: readonly ToleranceUse[];
}

/** What `compareCassettes` finds from the pinned run to the new one. Throws when a side has no turns: that compares nothing. */
export function findDifferences(matcher: string, pinned: Pinned, cassette: Cassette, options: DiffOptions): Found {
  const empty = pinned.cassette.entries.length === 0 ? pinned.name : cassette.entries.length === 0 ? "the run" : "";
  if (empty !== "") {
    throw misuse(
      matcher,
      `${empty} has no turns, so there is nothing to compare`,
      "Run the agent and record it first.",
    );
  }
  const { drifts, tolerances } = compareCassettes(pinned.cassette, cassette, options);
  return { differences: drifts.map(toDifference), tolerances };
}

/** Passes when `differences` is empty. `same` says what was found equal, for the negated message. */
export function toResult(
  context: MatcherContext,
  pinned: Pinned,
  { differences, tolerances }: Found,
  same: string,
): MatcherResult {
  const compare = `npx playhead diff ${pinned.path} <new file>`;
  if (differences.length === 0) {
    return {
      pass: true,
      message: () =>
        `expected a run that differs from ${pinned.name}, but ${same}.\n` +
        `Take .not away, or make sure that the changed agent was run; \`${compare}\` compares two files.${usesText(tolerances)}`,
    };
  }
  return {
    pass: false,
    message: () =>
      `expected no difference from ${pinned.name}, but there ${differences.length === 1 ? "is" : "are"} ` +
      `${plural(differences.length, "difference")}:\n${listText(differences)}\n` +
      `If it is not meant, undo the change; save the run and \`${compare}\` shows all of it.\n` +
      `If it is meant, record ${pinned.name} again and review it; where this test records it: ${rerecordCommand(context)}${usesText(tolerances)}`,
    expected: differences.flatMap(({ expected }) => expected ?? []),
    actual: differences.flatMap(({ actual }) => actual ?? []),
  };
}

function listText(differences: readonly Difference[]): string {
  const lines = differences.slice(0, MAX_SENTENCES).map(({ sentence }) => `  - ${sentence}`);
  const rest = differences.length - lines.length;
  if (rest > 0) lines.push(`  - and ${rest} more`);
  return lines.join("\n");
}

/** Nothing where nothing was tolerated; else one line for each tolerance that was used. */
export function usesText(uses: readonly ToleranceUse[]): string {
  if (uses.length === 0) return "";
  const lines = uses
    .slice(0, MAX_SENTENCES)
    .map(
      ({ tool, pointer, tolerance, times }) =>
        `  - ${cutText(`${tool}:${pointer}`)} ${cutText(tolerance)}, ${plural(times, "time")}`,
    );
  const rest = uses.length - lines.length;
  if (rest > 0) lines.push(`  - and ${rest} more`);
  return `\nTolerances that were used:\n${lines.join("\n")}`;
}

function toDifference(drift: Drift): Difference {
  return { sentence: drift.sentence, ...sidesOf(drift) };
}

function sidesOf(drift: Drift): Omit<Difference, "sentence"> {
  switch (drift.kind) {
    case "added":
      return { actual: callSide(drift.newTurn, drift) };
    case "removed":
      return { expected: callSide(drift.oldTurn, drift) };
    case "moved":
      return { expected: callSide(drift.oldTurn, drift), actual: callSide(drift.newTurn, drift) };
    case "args-changed": {
      const { tool, oldTurn, newTurn, changes } = drift;
      const old = changes.flatMap((change) =>
        change.old === undefined ? [] : [[change.pointer, change.old] as const],
      );
      const now = changes.flatMap((change) =>
        change.new === undefined ? [] : [[change.pointer, change.new] as const],
      );
      return { expected: { turn: oldTurn, tool, at: places(old) }, actual: { turn: newTurn, tool, at: places(now) } };
    }
    case "retried":
      return { actual: callSide(drift.newTurn, drift) };
    case "parallelised":
      return {
        expected: { turns: drift.oldTurns, tools: drift.tools },
        actual: { turn: drift.newTurn, tools: drift.tools },
      };
    case "serialised":
      return {
        expected: { turn: drift.oldTurn, tools: drift.tools },
        actual: { turns: drift.newTurns, tools: drift.tools },
      };
    case "stop-changed":
      return {
        expected: { turn: drift.oldTurn, stopReason: drift.old },
        actual: { turn: drift.newTurn, stopReason: drift.new },
      };
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

/** Pointers begin with "/" or are empty, so none of them is a name that an object reserves. */
function places(entries: readonly (readonly [string, JsonValue])[]): JsonObject {
  return Object.fromEntries(entries);
}
