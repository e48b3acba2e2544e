// When control messages took effect in a run of an agent, and the time that each turn was told. With the order of its messages, this is
// all that its prompts depend on.

import { isPlainObject } from "../../canon/value.js";
import { PlumbError } from "../errors.js";

/** How far a run is. */
export interface RunPlace {
  /** Messages that have begun. */
  readonly input: number;
  /** Turns that have begun. */
  readonly turn: number;
}

/** Where control message `n` took effect. */
export interface ControlPoint extends RunPlace {
  readonly n: number;
}

/** `extensions.schedule` of the cassette of an agent. */
export interface AgentSchedule {
  readonly version: 1;
  readonly control: readonly ControlPoint[];
  /** The time of each turn in seconds. Empty if the agent is not told the time. */
  readonly clock: readonly number[];
}

/** Throws `PlumbError` `schedule-malformed`. */
export function readSchedule(value: unknown): AgentSchedule {
  const { version, control, clock } = isPlainObject(value) ? value : {};
  if (version === 1 && isList(control, isPoint) && isList(clock, isCount)) return { version, control, clock };
  const hint = "Restore the cassette from version control, or record again.";
  throw new PlumbError("schedule-malformed", "extensions.schedule of the cassette cannot be read", hint);
}

const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) >= 0;

function isPoint(value: unknown, index: number): value is ControlPoint {
  return isPlainObject(value) && value["n"] === index && isCount(value["input"]) && isCount(value["turn"]);
}

function isList<T>(value: unknown, is: (one: unknown, index: number) => one is T): value is readonly T[] {
  return Array.isArray(value) && value.every(is);
}

/** True once a run is where it took a control message. */
export function isReached(point: RunPlace, now: RunPlace): boolean {
  return point.input <= now.input && point.turn <= now.turn;
}
