// Ids and random bytes that are the same in every run.

import type { Ports } from "../../core/index.js";
import { createRandom } from "../drift/statistics/random.js";

/** Ids that count; made by {@link countingIds}. */
export interface CountingIds extends Pick<Ports, "randomBytes"> {
  /** The prefix and the next number, from 1: `id-1`, `id-2` … */
  next(): string;
  /** The next number in as many bytes as asked for, the last byte the lowest, so that the first run id is 0…01. */
  randomBytes(length: number): Uint8Array;
  /** How many were given, of both kinds together. */
  readonly given: number;
}

/** Ids that count. `next` and `randomBytes` count together, so no two are alike. */
export function countingIds(prefix = "id-"): CountingIds {
  let given = 0;
  return {
    next: () => `${prefix}${++given}`,
    randomBytes(length) {
      let rest = ++given;
      const bytes = new Uint8Array(length);
      for (let at = length - 1; at >= 0 && rest > 0; at--) {
        bytes[at] = rest % 256;
        rest = Math.floor(rest / 256);
      }
      return bytes;
    },
    get given() {
      return given;
    },
  };
}

/** Bytes that look random and are the same for the same seed. Not for keys. */
export function seededBytes(seed: number): Ports["randomBytes"] {
  const random = createRandom(seed, "random bytes");
  return (length) => Uint8Array.from({ length }, () => random.below(256));
}
