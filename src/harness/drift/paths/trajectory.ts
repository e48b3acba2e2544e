// The path a run took, reduced to what is compared, and how far two paths are from each other. The order of parallel calls is
// nothing; turns without calls are left out. The distance is that of `cassette diff`'s alignment (docs/diff.md), a metric.

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

/** What counts when two paths are compared, as in `DiffOptions`. */
export interface TrajectoryOptions {
  ignore: readonly string[];
  /** The one-way orders are taken from the baseline to the candidate. */
  order: CallOrder;
  readOnly?: readonly string[];
  /** Which differences in arguments are none. */
  tolerances?: Tolerances;
  /** What the assistant said is compared like a call. */
  content: boolean;
}

/** The path of one run, ready to be compared with others. */
export interface Trajectory {
  /** Equal keys took the same path. */
  key: string;
  /** Paths that tolerances find alike have equal skeletons. */
  skeleton: string;
  /** The calls of each turn as texts; long ones are cut and end in a part of their hash. */
  steps: string[][];
  path: RunPath;
  /** The order allows differences in one direction. */
  isOneWay: boolean;
}

const MAX_TEXT = 200;

/** The path of a recording. Throws "invalid-options" for an `ignore` that is no pointer. */
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

/** 0 for the same path, at most 1; a metric. */
export function trajectoryDistance(a: Trajectory, b: Trajectory): number {
  return a.key === b.key ? 0 : pathDistance(a.path, b.path);
}

/** How far `candidate` departs from `base` in what the order does not allow; the distance, where the order has no direction. */
export function trajectoryDeparture(base: Trajectory, candidate: Trajectory): number {
  return base.key === candidate.key ? 0 : pathDeparture(base.path, candidate.path);
}

/** What the assistant said as a call of its own, so that it takes part in the path. */
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
  if (text.length <= MAX_TEXT) return text;
  return `${text.slice(0, MAX_TEXT).toWellFormed()}… #${sha256Hex(text.toWellFormed()).slice(0, 12)}`;
}
