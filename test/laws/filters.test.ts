// Filters by name: applied twice they change nothing more, and a replay with them answers exactly the prompts that they make equal.

import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { HASH_FILTER_NAMES, readHashFilter, type NotedFilter } from "../../src/cassette/prompt/hash-filters.js";
import { cassetteProvider } from "../../src/cassette/replay/replay.js";
import { prompt, recordTurns } from "../support/recording.js";
import { say } from "../support/script.js";

const PIECES = [
  ...["2026-11-22", "2026-11-22T09:30:00Z", "Nov 22 2026", "Sunday, November 22", "Nov 22 09:30", "11/22/2026"],
  ...["09:30", "9:30:15 PM", "3 hours ago", "1795305600", "1795305600123", "1.23s", "350 ms", "1m 20s"],
  ...["550e8400-e29b-41d4-a716-446655440000", "/home/ann/x", "/tmp", "~/a/b", "C:\\Users\\ann\\x", "file:///a/b"],
  ...["v22.11.0", "1.2.3-beta", "Python 3.12", "build 22631", "session_id=a1", '"ms": 12', "ms=3", "192.0.2.1"],
  ...[" ", "\n", "\\n", "-", "/", ":", ".", "<", ">", "<path>", "<date>", "a", "7", "x y", '"', "\u001b[2m"],
];
const text = fc.array(fc.constantFrom(...PIECES), { maxLength: 8 }).map((pieces) => pieces.join(""));
const own: NotedFilter = { name: "seven", pattern: "7+|x y" };
const filters = fc
  .subarray<NotedFilter>([...HASH_FILTER_NAMES, "number-in:ms", own], { minLength: 1 })
  .chain((list) => fc.shuffledSubarray(list, { minLength: list.length, maxLength: list.length }));

const rewrite = (list: readonly NotedFilter[], given: string): string => readHashFilter(list).rewrite?.(given) ?? given;

describe("filters by name", () => {
  it("change nothing more when they are applied twice", () => {
    fc.assert(
      fc.property(filters, text, (list, given) => {
        const once = rewrite(list, given);
        expect(rewrite(list, once)).toBe(once);
      }),
      { numRuns: 500 },
    );
  });

  it("make a replay answer exactly the prompts that become equal, noted or added later", async () => {
    const later = fc.constantFrom(true, false);
    await fc.assert(
      fc.asyncProperty(filters, text, text, later, async (list, recorded, asked, isLater) => {
        const ports = { warn: () => undefined };
        const options = isLater ? { ports } : { ports, hashFilter: list };
        const cassette = await recordTurns([prompt(recorded)], [say("yes")], { redact: false, ...options });
        const replay = cassetteProvider(cassette, { redact: {}, ...(isLater ? { hashFilter: list } : {}) });
        const isAnswered = await replay.turn(prompt(asked)).then(
          () => true,
          () => false,
        );
        expect(isAnswered).toBe(rewrite(list, recorded) === rewrite(list, asked));
      }),
      { numRuns: 100 },
    );
  });
});
