// A hybrid logical clock (Kulkarni et al., "Logical Physical Clocks", 2014): time stamps that follow the wall clock where they
// can and never run backwards, so that an event which was caused by another sorts behind it, across clocks that disagree.

import type { Ports } from "../ports.js";

/**
 * A stamp as text: 12 hex digits of milliseconds since the epoch, 4 of a counter, 8 of the node, joined by `-`. All widths are
 * fixed, so that sorting stamps as text sorts them in time.
 */
export type HlcStamp = string;

export interface Hlc {
  /** A stamp later than every stamp this clock gave or received. `now` spares a reading of the wall clock just made. */
  tick(now?: number): HlcStamp;
  /** Moves this clock past a stamp from elsewhere. Throws RangeError for text that is no stamp. */
  receive(stamp: HlcStamp): void;
}

export interface HlcParts {
  /** Milliseconds since the epoch, 0 to 2^48 - 1. */
  readonly ms: number;
  /** 0 to 65,535: what came within one millisecond, or while the wall clock stood behind. */
  readonly counter: number;
  /** 8 hex digits that tell this clock from others. */
  readonly node: string;
}

const MAX_MS = 2 ** 48 - 1;
const MAX_COUNTER = 2 ** 16 - 1;
const STAMP = /^([0-9a-f]{12})-([0-9a-f]{4})-([0-9a-f]{8})$/;

/** A clock on the port's wall clock, with a random node unless one is given. Throws RangeError for a node that is not 8 hex digits. */
export function createHlc(ports: Pick<Ports, "now" | "randomBytes">, node: string = randomNode(ports)): Hlc {
  if (!/^[0-9a-f]{8}$/.test(node))
    throw new RangeError(`the node of a clock is 8 hex digits, not ${JSON.stringify(node)}`);
  let ms = 0;
  let counter = -1;
  let prefix = "";

  const moveTo = (nextMs: number, nextCounter: number) => {
    // A counter that is full borrows a millisecond from the future: order matters more than the wall clock.
    const isFull = nextCounter > MAX_COUNTER;
    const newMs = isFull ? nextMs + 1 : nextMs;
    counter = isFull ? 0 : nextCounter;
    if (newMs !== ms || prefix === "") prefix = newMs.toString(16).padStart(12, "0");
    ms = newMs;
  };

  return {
    tick(now = ports.now()) {
      const wall = bounded(now);
      if (wall > ms) moveTo(wall, 0);
      else moveTo(ms, counter + 1);
      return `${prefix}-${counter.toString(16).padStart(4, "0")}-${node}`;
    },
    receive(stamp) {
      const other = parseHlc(stamp);
      if (other === undefined) throw new RangeError(`${JSON.stringify(stamp)} is no stamp of a hybrid logical clock`);
      if (other.ms > ms) moveTo(other.ms, other.counter);
      else if (other.ms === ms) moveTo(ms, Math.max(counter, other.counter));
    },
  };
}

/** The parts of a stamp, or undefined for other text. */
export function parseHlc(stamp: string): HlcParts | undefined {
  const match = STAMP.exec(stamp);
  if (match === null) return undefined;
  const [, ms = "", counter = "", node = ""] = match;
  return { ms: parseInt(ms, 16), counter: parseInt(counter, 16), node };
}

/** A wall clock outside the range (a test's, a broken one) must not break the width of a stamp. */
function bounded(now: number): number {
  const ms = Math.floor(now);
  return ms > 0 ? Math.min(ms, MAX_MS) : 0;
}

function randomNode(ports: Pick<Ports, "randomBytes">): string {
  return Array.from(ports.randomBytes(4), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
