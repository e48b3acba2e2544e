// The arrivals of background jobs in a recording of a session: when the model of an agent learnt that a job had ended, in logical time.

import { isPlainObject } from "../../core/index.js";
import { CassetteError } from "../errors.js";
import { extensionsOf, type Cassette } from "../file/format.js";

/** One arrival. `at` is `<turn>.<step>.<boundary>`, `<turn>.<step>.call.<index>` or `<turn>.idle`. */
export interface Arrival {
  /** The session of the agent, counted from 0 in the order of first use. */
  readonly session: number;
  readonly task: string;
  readonly at: string;
  /** For a job that was cancelled: the answers that its model had given. */
  readonly steps?: number;
}

const AT = /^\d+\.(\d+\.(turn-start|step-start|step-end|call\.\d+)|idle)$/;

/** The arrivals of an agent's cassette in order. Throws `CassetteError` `wrong-type`. */
export function arrivalsOf(cassette: Cassette, file?: string): readonly Arrival[] {
  const { arrivals = [] } = extensionsOf(cassette);
  if (Array.isArray(arrivals) && arrivals.every(isArrival)) return arrivals;
  throw new CassetteError("wrong-type", "extensions.arrivals is not a list of { session, task, at }", {
    pointer: "/extensions/arrivals",
    hint: "Restore the cassette from version control, or record again.",
    ...(file === undefined ? {} : { file }),
  });
}

function isArrival(value: unknown): value is Arrival {
  if (!isPlainObject(value)) return false;
  const { session, task, at, steps = 0 } = value;
  const areCounts = [session, steps].every((count) => Number.isSafeInteger(count) && (count as number) >= 0);
  return areCounts && typeof task === "string" && typeof at === "string" && AT.test(at);
}

/** The first arrival of `recorded` that `now` lacks, where each counts as often as it is there. */
export function missingArrival(recorded: readonly Arrival[], now: readonly Arrival[]): Arrival | undefined {
  const left = now.map(keyOf);
  return recorded.find((arrival) => {
    const index = left.indexOf(keyOf(arrival));
    if (index < 0) return true;
    left.splice(index, 1);
    return false;
  });
}

function keyOf({ session, task, at, steps = -1 }: Arrival): string {
  return JSON.stringify([session, task, at, steps]);
}
