import { describe, expect, it } from "vitest";
import { MAX_CLOCK_DRIFT_MS } from "../../../src/core/limits.js";
import { createHlc, parseHlc } from "../../../src/core/time/hlc.js";

/** A clock whose wall stands where the test puts it. */
function clockAt(start: number, node = "0000000a") {
  const wall = { ms: start };
  const hlc = createHlc({ now: () => wall.ms, randomBytes: (length) => new Uint8Array(length).fill(0xab) }, node);
  return { wall, hlc };
}

describe("createHlc", () => {
  it("writes the milliseconds, a counter and the node, each in its width", () => {
    const { hlc } = clockAt(1_700_000_000_000);
    expect(hlc.tick()).toBe("018bcfe56800-0000-0000000a");
    expect(hlc.tick()).toBe("018bcfe56800-0001-0000000a");
  });

  it("takes a node of 4 random bytes unless one is given", () => {
    const hlc = createHlc({ now: () => 1, randomBytes: () => Uint8Array.of(0, 1, 0xfe, 0xff) });
    expect(hlc.tick()).toBe("000000000001-0000-0001feff");
  });

  it.each(["", "a", "0000000A", "000000000", "0000000g"])("refuses the node %j", (node) => {
    expect(() => clockAt(1, node)).toThrow(RangeError);
  });

  it("counts on while the wall clock stands still or runs backwards, and follows it again later", () => {
    const { wall, hlc } = clockAt(5_000);
    const stamps = [5_000, 4_000, 0, 5_000, 5_001].map((ms) => {
      wall.ms = ms;
      return hlc.tick();
    });
    expect(stamps.map(parseHlc).map((parts) => [parts?.ms, parts?.counter])).toEqual([
      [5_000, 0],
      [5_000, 1],
      [5_000, 2],
      [5_000, 3],
      [5_001, 0],
    ]);
  });

  it("takes a reading that is handed in, in place of the port's", () => {
    expect(parseHlc(clockAt(1).hlc.tick(77.9))?.ms).toBe(77);
  });

  it.each([-1, NaN, Infinity, -Infinity, 2 ** 60, 2 ** 47])(
    "passes over the reading %d, and goes on counting",
    (reading) => {
      const { wall, hlc } = clockAt(9);
      const first = hlc.tick();
      wall.ms = reading;
      const second = hlc.tick();
      expect(parseHlc(second)).toEqual({ ms: 9, counter: 1, node: "0000000a" });
      expect(second > first).toBe(true);
    },
  );

  it("starts at 0 with a clock that gives nothing readable", () => {
    expect(clockAt(NaN).hlc.tick()).toBe("000000000000-0000-0000000a");
  });

  it("borrows a millisecond when the counter is full, at the end of its range too", () => {
    for (const ms of [1_000, 2 ** 47 - 1]) {
      const { hlc } = clockAt(ms);
      let last = hlc.tick();
      for (let index = 0; index < 65_535; index++) last = hlc.tick();
      expect(parseHlc(last)).toMatchObject({ ms, counter: 65_535 });
      const next = hlc.tick();
      expect(parseHlc(next)).toMatchObject({ ms: ms + 1, counter: 0 });
      expect(next > last).toBe(true);
    }
  });
});

describe("receive", () => {
  it("makes the next stamp later than the received one and than its own", () => {
    const { hlc } = clockAt(1_000);
    const own = hlc.tick();
    const received = "0000000007d0-0005-ffffffff";
    hlc.receive(received);
    const next = hlc.tick();
    expect(next > own && next > received).toBe(true);
    expect(parseHlc(next)).toMatchObject({ ms: 2_000, counter: 6 });
  });

  it("is not set back by an earlier stamp", () => {
    const { hlc } = clockAt(1_000);
    const own = hlc.tick();
    hlc.receive("000000000001-ffff-00000000");
    expect(parseHlc(hlc.tick())).toMatchObject({ ms: 1_000, counter: 1 });
    expect(parseHlc(own)?.counter).toBe(0);
  });

  it.each(["", "x", "0000000007d0-0005-fffffff", "0000000007D0-0005-ffffffff", "0000000007d0-0005-ffffffff\n"])(
    "refuses %j, which is not a stamp",
    (text) => {
      expect(() => clockAt(1).hlc.receive(text)).toThrow(RangeError);
    },
  );

  it("refuses a stamp more than a day ahead, and stays where it was", () => {
    const { hlc } = clockAt(1_000);
    const stamp = (ms: number) => `${ms.toString(16).padStart(12, "0")}-0000-00000000`;
    expect(() => hlc.receive(stamp(1_000 + MAX_CLOCK_DRIFT_MS + 1))).toThrow(`${MAX_CLOCK_DRIFT_MS + 1} ms ahead`);
    expect(() => hlc.receive("ffffffffffff-ffff-00000000")).toThrow(RangeError);
    expect(parseHlc(hlc.tick())?.ms).toBe(1_000);
    hlc.receive(stamp(1_000 + MAX_CLOCK_DRIFT_MS));
    expect(parseHlc(hlc.tick())?.ms).toBe(1_000 + MAX_CLOCK_DRIFT_MS);
  });
});
