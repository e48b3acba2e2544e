// Explains a tool call that the tape cannot answer: the call, the nearest recorded one, and where the two differ.

import { defined, shorten, ToolPolicyError, toVisible, type JsonObject } from "../../core/index.js";
import { callKey } from "../diff/calls/calls.js";
import { MAX_COMPARED_CALLS } from "../limits.js";
import { cutAround, differenceLines } from "../replay/excerpt.js";
import type { Tolerances } from "../tolerance/tolerances.js";
import { diffValues } from "../prompt/json-difference.js";
import type { TapeResult } from "./tape.js";
import type { UnusedResults } from "./unused.js";

/** Everything known about a tool call without a recorded result. */
export interface TapeMiss {
  /** `unknown-call`: no recorded call has this key. `exhausted`: all of them were used. `no-result`: the run ended with it. */
  readonly kind: "unknown-call" | "exhausted" | "no-result";
  readonly key: string;
  readonly what: string;
  readonly nearest?: { readonly turn: number; readonly key: string; readonly used: boolean };
  /** JSON pointer into the arguments. */
  readonly pointer?: string;
  /** Both values there as JSON text, cut around the first difference. */
  readonly recorded?: string;
  readonly actual?: string;
}

const UNDO =
  'Undo the change if it was not intended. Otherwise record again, or let the tool answer live (replay: "model").';

const HINTS: Record<TapeMiss["kind"], string> = {
  "unknown-call": UNDO,
  exhausted: UNDO,
  "no-result":
    'No later prompt shows this result, so the recording does not have it. Leave this tool live, or use replay: "model".',
};

/** Ends the run, so that the model does not see it. `miss` has the parts of the message. */
export class TapeMissError extends ToolPolicyError {
  readonly miss: TapeMiss;

  constructor(miss: TapeMiss, file?: string) {
    super(formatTapeMiss(miss, file), { hint: HINTS[miss.kind] });
    this.name = "TapeMissError";
    this.miss = miss;
  }
}

/** The miss as lines of text, the first one a sentence. */
export function formatTapeMiss(miss: TapeMiss, file?: string): string {
  const { what, nearest } = miss;
  const lines = [what];
  if (nearest !== undefined) {
    lines.push(`  nearest  turn ${nearest.turn}: ${short(nearest.key)}${nearest.used ? ", already used" : ""}`);
  }
  lines.push(...differenceLines(miss));
  if (file !== undefined) lines.push(`  file     ${toVisible(file)}`);
  return lines.join("\n");
}

/** Explains why no recorded result answers a call. `unused` knows which results could, and which were used. */
export function explainTapeMiss(
  results: readonly TapeResult[],
  unused: Pick<UnusedResults, "used" | "answers">,
  tolerances: Tolerances,
  name: string,
  args: JsonObject,
): TapeMiss {
  const { used } = unused;
  const key = callKey({ name, arguments: args });
  const same = results.filter((result) => unused.answers(result, name, args));
  const last = same.at(-1);
  if (last !== undefined) return explainSame(same, last, used);
  const named = results.filter((result) => result.name === name).slice(0, MAX_COMPARED_CALLS);
  if (named.length === 0) {
    const names = [...new Set(results.map((result) => result.name))];
    const others =
      names.length === 0 ? "no tool call at all" : `calls of ${toVisible(names.slice(0, 8).join(", "))} only`;
    return { kind: "unknown-call", key, what: `${short(key)} is not on the tape: the recording has ${others}` };
  }
  const { result, change } = findNearest(named, used, tolerances, args);
  const [recorded, actual] = cutAround(change?.old, change?.new);
  return {
    kind: "unknown-call",
    key,
    what: `${short(key)} is not on the tape`,
    nearest: { turn: result.turn, key: result.key, used: used.has(result) },
    pointer: change?.pointer ?? "",
    ...defined({ recorded, actual }),
  };
}

function explainSame(same: readonly TapeResult[], last: TapeResult, used: ReadonlySet<TapeResult>): TapeMiss {
  const { key, turn } = last;
  const nearest = { turn, key, used: used.has(last) };
  if (same.some((result) => result.content === undefined)) {
    const what = `${short(key)} was recorded at turn ${turn} without a result, because the recorded run ended there`;
    return { kind: "no-result", key, what, nearest };
  }
  const times = same.length === 1 ? "once" : `${same.length} times`;
  const what = `${short(key)} was recorded ${times}, and the run makes it once more`;
  return { kind: "exhausted", key, what, nearest };
}

/** Finds the call with the fewest differences; among equals an unused one, then the first. */
function findNearest(
  named: readonly TapeResult[],
  used: ReadonlySet<TapeResult>,
  tolerances: Tolerances,
  args: JsonObject,
) {
  const ranked = named.map((result) => {
    const { name, arguments: recorded, isMalformed = false } = result;
    const changes = isMalformed ? diffValues(recorded, args) : tolerances.compare(name, recorded, args).changes;
    return { result, change: changes[0], rank: 2 * changes.length + (used.has(result) ? 1 : 0) };
  });
  return ranked.reduce((best, next) => (next.rank < best.rank ? next : best));
}

/** Shortens a key, which may hold a whole document. */
export function short(key: string): string {
  return toVisible(shorten(key, 160));
}
