// Laws of the hybrid logical clock: whatever the wall clocks do, stamps rise, sort as text, and keep what happened before what.

import fc from "fast-check";
import { expect, it } from "vitest";
import { createHlc, parseHlc, type Hlc } from "../../src/core/time/hlc.js";

const clock = (node: string): Hlc => createHlc({ now: () => 0, randomBytes: (length) => new Uint8Array(length) }, node);

/** Readings of a clock that steps, jumps and breaks. */
const reading = fc.oneof(
  fc.integer({ min: 0, max: 50 }),
  fc.integer({ min: 1_700_000_000_000, max: 1_700_000_000_010 }),
  fc.double(),
  fc.constantFrom(-1, NaN, Infinity, 2 ** 47 - 1, 2 ** 47, 2 ** 53, 2 ** 60),
);

it("PLK-91 each stamp is later than the one before, whatever the wall clock reads", () => {
  fc.assert(
    fc.property(fc.array(reading, { minLength: 2, maxLength: 60 }), (readings) => {
      const hlc = clock("00000001");
      const stamps = readings.map((now) => hlc.tick(now));
      stamps.slice(1).forEach((stamp, index) => expect(stamp > (stamps[index] as string)).toBe(true));
      expect(stamps.every((stamp) => stamp.length === 26 && parseHlc(stamp) !== undefined)).toBe(true);
    }),
  );
});

const parts = fc.record({
  ms: fc.oneof(
    fc.integer({ min: 0, max: 3 }),
    fc.maxSafeNat().map((ms) => ms % 2 ** 48),
  ),
  counter: fc.oneof(fc.integer({ min: 0, max: 2 }), fc.integer({ min: 0, max: 65_535 })),
  node: fc.constantFrom("00000000", "0000000a", "a0000000", "ffffffff"),
});
type Parts = { ms: number; counter: number; node: string };

const write = ({ ms, counter, node }: Parts) =>
  `${ms.toString(16).padStart(12, "0")}-${counter.toString(16).padStart(4, "0")}-${node}`;

it("stamps sort as text by milliseconds, then counter, then node, and read back as their parts", () => {
  fc.assert(
    fc.property(parts, parts, (left, right) => {
      const byParts =
        left.ms - right.ms ||
        left.counter - right.counter ||
        Number(left.node > right.node) - Number(left.node < right.node);
      const [a, b] = [write(left), write(right)];
      expect(Math.sign(byParts)).toBe(Number(a > b) - Number(a < b));
      expect(parseHlc(a)).toEqual(left);
    }),
  );
});

it("a stamp after a receipt is later than both, or the received one was refused and changed nothing", () => {
  fc.assert(
    fc.property(fc.array(reading, { maxLength: 5 }), parts, reading, reading, (before, other, at, after) => {
      const [hlc, twin] = [clock("00000001"), clock("00000001")];
      const own = before.map((now) => (twin.tick(now), hlc.tick(now))).at(-1) ?? "";
      const received = write(other);
      let isTaken = true;
      try {
        hlc.receive(received, at);
      } catch {
        isTaken = false;
      }
      const next = hlc.tick(after);
      expect(next > own).toBe(true);
      if (isTaken) expect(next > received).toBe(true);
      else expect(next).toBe(twin.tick(after));
    }),
  );
});

it("two clocks that exchange stamps keep what happened before what, however far apart they are", () => {
  const hour = 60 * 60 * 1000;
  const step = fc.record({
    side: fc.constantFrom(0 as const, 1 as const),
    action: fc.constantFrom("tick" as const, "send" as const),
    drift: fc.integer({ min: -12 * hour, max: 12 * hour - 1 }),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const clocks = [clock("00000001"), clock("00000002")] as const;
      const last: [string, string] = ["", ""];
      for (const { side, action, drift } of steps) {
        const now = 1_700_000_000_000 + drift;
        const stamp = clocks[side].tick(now);
        expect(stamp > last[side]).toBe(true);
        last[side] = stamp;
        if (action === "tick") continue;
        const other = (1 - side) as 0 | 1;
        clocks[other].receive(stamp, 1_700_000_000_000 - drift);
        const heard = clocks[other].tick(0);
        expect(heard > stamp && heard > last[other]).toBe(true);
        last[other] = heard;
      }
    }),
  );
});
