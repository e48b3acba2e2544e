// A hybrid logical clock (Kulkarni et al., "Logical Physical Clocks", 2014): time stamps that follow the wall clock but never run
// backwards. An event that was caused by another sorts after it, even across clocks that disagree.

import { hexByte, toHex } from "../canon/bytes.js";
import { MAX_CLOCK_DRIFT_MS, MAX_HLC_COUNTER, MAX_HLC_WALL_MS } from "../limits.js";
import type { Ports } from "../ports.js";

/** 12 hex digits of milliseconds since the epoch, 4 of a counter, 8 of the node, joined by `-`. Stamps sort as text. */
export type HlcStamp = string;

/** A hybrid logical clock (Kulkarni et al., "Logical Physical Clocks", 2014). Created by {@link createHlc}. */
export interface Hlc {
  /** A stamp later than every stamp this clock made or received. Pass `now` if the wall clock was just read. */
  tick(now?: number): HlcStamp;
  /**
   * Moves this clock past a stamp of another clock. Throws RangeError, and does not move, for text that is not a stamp and for a stamp
   * more than {@link MAX_CLOCK_DRIFT_MS} ahead of the wall clock and this clock, since all later stamps would follow it.
   */
  receive(stamp: HlcStamp, now?: number): void;
}

/** The parts of a stamp; read by {@link parseHlc}. */
export interface HlcParts {
  /** Milliseconds since the epoch, as far as the wall clock was followed. */
  readonly ms: number;
  /** 0 to 65,535: counts stamps within one millisecond, or while the wall clock is behind. */
  readonly counter: number;
  /** 8 hex digits that identify the clock. */
  readonly node: string;
}

const STAMP = /^([0-9a-f]{12})-([0-9a-f]{4})-([0-9a-f]{8})$/;

/** Creates a hybrid logical clock on the ports' wall clock. The node is random by default. Throws RangeError unless it is 8 hex digits. */
export function createHlc(ports: Pick<Ports, "now" | "randomBytes">, node: string = toHex(ports.randomBytes(4))): Hlc {
  if (!/^[0-9a-f]{8}$/.test(node))
    throw new RangeError(`the node of a clock is 8 hex digits, not ${JSON.stringify(node)}`);
  return new HybridClock(ports, node);
}

/** An {@link Hlc} whose stamps can be kept as two numbers, in a fraction of the memory, and formatted later. */
export class HybridClock implements Hlc {
  readonly #now: Ports["now"];
  readonly #suffix: string;
  /** Of the last stamp: whole milliseconds, and the counter within them. -1 before the first. */
  ms = 0;
  counter = -1;

  constructor({ now }: Pick<Ports, "now">, node: string) {
    this.#now = now;
    this.#suffix = `-${node}`;
  }

  // Own properties, so that a clock can be spread into another.
  readonly tick = (now: number = this.#now()): HlcStamp => {
    this.advance(now);
    return this.format(this.ms, this.counter);
  };

  /** Makes the next stamp, to be read from `ms` and `counter`. */
  advance(now: number): void {
    const wall = readable(now);
    if (wall > this.ms) this.#moveTo(wall, 0);
    else this.#moveTo(this.ms, this.counter + 1);
  }

  format(ms: number, counter: number): HlcStamp {
    const prefix = ms.toString(16).padStart(12, "0");
    return `${prefix}-${hexByte(counter >> 8)}${hexByte(counter & 255)}${this.#suffix}`;
  }

  readonly receive = (stamp: HlcStamp, now: number = this.#now()): void => {
    const other = parseHlc(stamp);
    if (other === undefined) throw new RangeError(`${JSON.stringify(stamp)} is not a stamp of a hybrid logical clock`);
    const ahead = other.ms - Math.max(readable(now), this.ms);
    if (ahead > MAX_CLOCK_DRIFT_MS) throw new RangeError(`the stamp ${stamp} is ${ahead} ms ahead of this clock`);
    if (other.ms > this.ms) this.#moveTo(other.ms, other.counter);
    else if (other.ms === this.ms) this.#moveTo(this.ms, Math.max(this.counter, other.counter));
  };

  #moveTo(ms: number, counter: number): void {
    // A full counter borrows a millisecond from the future, since order matters more than the wall clock.
    const isFull = counter > MAX_HLC_COUNTER;
    this.ms = isFull ? ms + 1 : ms;
    this.counter = isFull ? 0 : counter;
  }
}

export function parseHlc(stamp: string): HlcParts | undefined {
  const match = STAMP.exec(stamp);
  if (match === null) return undefined;
  const [, ms = "", counter = "", node = ""] = match;
  return { ms: parseInt(ms, 16), counter: parseInt(counter, 16), node };
}

/** Whole milliseconds. An impossible reading (negative, NaN, out of range) is 0, so only the counter advances. */
function readable(now: number): number {
  const ms = Math.floor(now);
  return ms > 0 && ms <= MAX_HLC_WALL_MS ? ms : 0;
}
