// The path of a run, reduced to its calls, and the distance between two paths. The order of parallel calls and turns without calls
// do not count. The distance is a metric: that of `cassette diff`'s alignment (docs/diff.md).

import {
  isOneWay,
  pathDeparture,
  pathDistance,
  pathOf,
  type CallOrder,
  type Cassette,
  type RunPath,
  type Tolerances,
} from "../../../cassette/index.js";
import { canonicalize, defined, sha256Hex } from "../../../core/index.js";
import { MAX_STEP_TEXT_CHARACTERS } from "../../limits.js";

export interface TrajectoryOptions {
  ignore: readonly string[];
  /** One-way orders apply from the baseline to the candidate. */
  order: CallOrder;
  readOnly?: readonly string[];
  tolerances?: Tolerances;
  /** True to compare the assistant's texts like calls. */
  content: boolean;
}

/** The path of one run, ready for comparison. */
export interface Trajectory {
  /** Equal for equal paths. */
  key: string;
  /** Equal for paths that differ only by tolerances. */
  skeleton: string;
  /** The calls of each turn as texts. A long text is cut and ends with part of its hash. */
  steps: string[][];
  path: RunPath;
  /** True if the order allows differences in one direction. */
  isOneWay: boolean;
}

/** The path of a recording. Throws "invalid-options" for an `ignore` that is not a pointer. */
export function trajectoryOf(cassette: Cassette, options: TrajectoryOptions): Trajectory {
  const { ignore, order, readOnly = [], content, tolerances } = options;
  const compared = { ignore, order, readOnly, ...defined({ tolerances }) };
  const path = pathOf(content ? withTexts(cassette) : cassette, compared);
  const keys = path.sets.map((set) => set.map(({ key }) => key));
  const skeletons = path.sets.map((set) => set.map(({ skeleton }) => skeleton).sort());
  return {
    key: sha256Hex(canonicalize(keys)),
    skeleton: sha256Hex(canonicalize(skeletons)),
    steps: keys.map((set) => set.map(cutWithHash)),
    path,
    isOneWay: isOneWay(order),
  };
}

/** The distance between two paths: 0 if they are the same, at most 1. A metric. */
export function trajectoryDistance(a: Trajectory, b: Trajectory): number {
  return a.key === b.key ? 0 : pathDistance(a.path, b.path);
}

/** How far `candidate` departs from `base` beyond the order's limits. If the order has no direction, the distance. */
export function trajectoryDeparture(base: Trajectory, candidate: Trajectory): number {
  return base.key === candidate.key ? 0 : pathDeparture(base.path, candidate.path);
}

function withTexts(cassette: Cassette): Cassette {
  const entries = cassette.entries.map((entry) => {
    const { message } = entry.response;
    if (message.content === "") return entry;
    const said = { id: "", name: "says", arguments: { text: message.content } };
    const toolCalls = [...(message.toolCalls ?? []), said];
    return { ...entry, response: { ...entry.response, message: { ...message, toolCalls } } };
  });
  return { ...cassette, entries } as Cassette;
}

function cutWithHash(text: string): string {
  if (text.length <= MAX_STEP_TEXT_CHARACTERS) return text;
  return `${text.slice(0, MAX_STEP_TEXT_CHARACTERS).toWellFormed()}… #${sha256Hex(text.toWellFormed()).slice(0, 12)}`;
}
