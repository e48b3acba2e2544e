import { describe, expect, it } from "vitest";
import { DEFAULT_CLOCK_START, fixedClock } from "../../../src/harness/doubles/clock.js";
import { HarnessError } from "../../../src/harness/errors.js";

const failure = async (work: () => unknown): Promise<HarnessError> => {
  try {
    await work();
  } catch (error) {
    if (error instanceof HarnessError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
};

describe("A33 fixedClock", () => {
  it("stands until it is moved", async () => {
    const clock = fixedClock();
    expect(clock.now()).toBe(DEFAULT_CLOCK_START);
    await clock.advance(1_500);
    expect(clock.now()).toBe(DEFAULT_CLOCK_START + 1_500);
    expect(fixedClock(5).now()).toBe(5);
  });

  it("fires what falls due, in order, each at its own moment, and nothing else", async () => {
    const clock = fixedClock(0);
    const fired: string[] = [];
    const note = (name: string) => () => void fired.push(`${name} at ${clock.now()}`);
    clock.timer(20, note("b"));
    clock.timer(10, note("a"));
    clock.timer(20, note("c"));
    clock.timer(30, note("late"));
    clock.timer(10, note("stopped"))();
    clock.timer(-5, note("past"));
    await clock.advance(20);
    expect(fired).toEqual(["past at 0", "a at 10", "b at 20", "c at 20"]);
    expect(clock.pending).toBe(1);
  });

  it("lets what a timer set going go on before the next one fires", async () => {
    const clock = fixedClock(0);
    const seen: string[] = [];
    const walk = async (name: string, ...waits: number[]) => {
      for (const ms of waits) {
        await clock.sleep(ms);
        seen.push(`${name} ${clock.now()}`);
      }
    };
    const both = Promise.all([walk("a", 10, 10, 10), walk("b", 15, 15)]);
    await clock.advance(30);
    await both;
    expect(seen).toEqual(["a 10", "b 15", "a 20", "b 30", "a 30"]);
  });

  it("ends a sleep whose signal fires, and forgets its timer", async () => {
    const clock = fixedClock();
    const controller = new AbortController();
    const sleeping = clock.sleep(10, controller.signal);
    controller.abort();
    await expect(sleeping).rejects.toMatchObject({ code: "aborted" });
    expect(clock.pending).toBe(0);
  });

  it("lets pass as much time as a piece of work needs, and gives what it gives", async () => {
    const clock = fixedClock(0);
    const work = clock.sleep(1_000).then(() => clock.sleep(86_400_000).then(() => "done"));
    expect(await clock.until(work)).toBe("done");
    expect(clock.now()).toBe(86_401_000);
    await expect(clock.until(Promise.reject(new Error("broken")))).rejects.toThrow("broken");
  });

  it("says of work that nothing can settle that it never will", async () => {
    const error = await failure(() => fixedClock().until(new Promise(() => undefined)));
    expect(error.code).toBe("never-settles");
  });

  it("never comes to a timer that is set for no end, and takes no time for one that is set for none", async () => {
    const clock = fixedClock(0);
    const fired: string[] = [];
    clock.timer(Infinity, () => fired.push("never"));
    clock.timer(Number.NaN, () => fired.push("at once"));
    expect((await failure(() => clock.until(new Promise(() => undefined)))).code).toBe("never-settles");
    expect([fired, clock.now(), clock.pending]).toEqual([["at once"], 0, 1]);
  });

  it("stops after as many timers as it was told, whether they end or not", async () => {
    const clock = fixedClock(0);
    const beat = async () => {
      for (;;) await clock.sleep(10);
    };
    const endless = await failure(() => clock.until(beat(), 25));
    expect([endless.code, clock.now()]).toEqual(["never-settles", 250]);
    expect(endless.message).toContain("until fired 25 timers, and there is always one more");
    const three = clock
      .sleep(1)
      .then(() => clock.sleep(1))
      .then(() => clock.sleep(1));
    await clock.until(three, 3);
    expect((await failure(() => clock.until(clock.sleep(1), 0))).code).toBe("never-settles");
    for (const odd of [-1, 0.5, Number.NaN, "5", null]) {
      expect((await failure(() => clock.until(clock.sleep(1), odd as number))).code).toBe("double-unclear");
    }
  });

  it("sleeps as long as it is told, also longer than a timer of the machine can", async () => {
    const clock = fixedClock(0);
    const days = 40 * 86_400_000;
    let isOver = false;
    const sleeping = clock.sleep(days).then(() => (isOver = true));
    await clock.advance(days - 1);
    expect(isOver).toBe(false);
    await clock.advance(1);
    await sleeping;
    expect((await failure(() => clock.until(clock.sleep(Infinity)))).code).toBe("never-settles");
    expect(clock.now()).toBe(days);
  });

  it("comes to no moment that a Date cannot hold", async () => {
    const clock = fixedClock(0);
    clock.timer(1e300, () => undefined);
    expect((await failure(() => clock.until(new Promise(() => undefined)))).code).toBe("never-settles");
    expect([clock.now(), clock.pending]).toEqual([0, 1]);
  });

  it("may be set ahead, also while it moves, and never goes back by that", async () => {
    const clock = fixedClock(0);
    const fired: number[] = [];
    clock.timer(10, () => fired.push(clock.now()));
    clock.set(1_000);
    await clock.advance(0);
    expect([fired, clock.now()]).toEqual([[1_000], 1_000]);
    clock.timer(5, () => clock.set(50_000));
    await clock.advance(10);
    expect(clock.now()).toBe(50_000);
  });

  it("may be set back, which fires nothing", async () => {
    const clock = fixedClock(1_000);
    let fired = 0;
    clock.timer(0, () => fired++);
    clock.set(10);
    expect([clock.now(), fired]).toEqual([10, 0]);
    await clock.advance(1_000);
    expect([clock.now(), fired]).toEqual([1_010, 1]);
  });

  it.each([
    ["a start that is not a moment", () => fixedClock(Number.NaN)],
    ["an invalid moment", () => fixedClock().set(Infinity)],
    ["a move backwards", () => fixedClock().advance(-1)],
  ])("refuses %s", async (_name, make) => {
    expect((await failure(make)).code).toBe("double-unclear");
  });
});
