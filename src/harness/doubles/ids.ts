// Ids and random bytes that are the same in every run.

import type { Ports } from "../../core/index.js";
import { createRandom } from "../drift/statistics/random.js";
import { MAX_RANDOM_BYTES } from "../limits.js";
import { refuseValue } from "./unclear.js";

export interface CountingIds extends Pick<Ports, "randomBytes"> {
  /** The prefix and the next number, from 1: `id-1`, `id-2` … */
  next(): string;
  /**
   * The next number in `length` bytes, lowest byte last, so the first run id is 0…01. A number that does not fit loses its high
   * bytes. Throws `HarnessError` `double-unclear` for a value that is not a length.
   */
  randomBytes(length: number): Uint8Array;
  /** The number of ids given, of both kinds together. */
  readonly given: number;
}

/** Ids that count up. `next` and `randomBytes` share one count, so no two are equal. Throws `HarnessError` `double-unclear`. */
export function countingIds(prefix = "id-"): CountingIds {
  if (typeof prefix !== "string") refuseValue("the prefix of countingIds", prefix, "Give a text.");
  let given = 0;
  return {
    next: () => `${prefix}${++given}`,
    randomBytes(length) {
      assertLength(length);
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

/** Bytes that look random and are the same for the same seed. Not for keys. Throws `HarnessError` `double-unclear`. */
export function seededBytes(seed: number): Ports["randomBytes"] {
  assertSeed("the seed of seededBytes", seed);
  const random = createRandom(seed, "random bytes");
  return (length) => {
    assertLength(length);
    return Uint8Array.from({ length }, () => random.below(256));
  };
}

export function assertSeed(what: string, seed: unknown): void {
  if (!Number.isSafeInteger(seed)) refuseValue(what, seed, "Give a whole number.");
}

function assertLength(length: unknown): void {
  if (Number.isSafeInteger(length) && Number(length) >= 0 && Number(length) <= MAX_RANDOM_BYTES) return;
  refuseValue("the length of random bytes", length, `Give a whole number from 0 to ${MAX_RANDOM_BYTES}.`);
}
