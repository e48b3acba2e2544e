import { describe, expect, it } from "vitest";
import { createBenchLoop, type LoopBenchOptions, type Meter } from "../../../src/harness/bench/loop.js";
import { createOutsideWatch } from "../../../src/harness/bench/watch.js";
import { runWeather, weatherCassette } from "../../support/recording.js";

const cassette = await weatherCassette();

/** A process whose time passes only where `work` says so. */
function fakeProcess() {
  let [now, heap] = [0, 1_000];
  const meter: Meter = { wall: () => now, cpu: () => now / 2, heap: () => heap, collectYoung: () => undefined };
  return { meter, work: (micros: number, bytes = 0) => void ((now += micros), (heap += bytes)) };
}

const once = { samples: 3, sampleMs: 0, warmMs: 0 };

describe("benchLoop", () => {
  it("measures a turn, a call, the first run and what stays in memory", async () => {
    const { meter, work } = fakeProcess();
    let runs = 0;
    const run = async (provider: Parameters<typeof runWeather>[0]) => {
      await runWeather(provider);
      work(runs++ === 0 ? 900 : 100, 64);
    };
    const figure = (median: number, samples: number) => ({ median, low: median, high: median, samples });
    expect(await createBenchLoop(meter)(run, cassette, once)).toEqual({
      turns: 2,
      calls: 1,
      turn: figure(50, 3),
      call: figure(100, 3),
      first: 450,
      heap: figure(64, 5),
      lengths: [],
    });
    expect(await createBenchLoop(meter)(run, cassette, { ...once, clock: "cpu" })).toMatchObject({
      turn: figure(25, 3),
      first: 25,
    });
  });

  it("leaves out the time of the provider", async () => {
    const { meter, work } = fakeProcess();
    const bench = await createBenchLoop(meter)(
      async (provider) => {
        const slow = { ...provider, turn: (request: Parameters<typeof provider.turn>[0]) => provider.turn(request) };
        work(10);
        await runWeather(slow);
        work(30);
      },
      cassette,
      once,
    );
    expect(bench.turn.median).toBe(20);
  });

  it("subtracts what the clock takes, even if the system interrupts its first readings", async () => {
    let [now, readings] = [0, 0];
    // Each reading takes 1 µs, and the 50th also 20 ms.
    const read = () => (now += ++readings === 50 ? 20_001 : 1);
    const meter: Meter = { wall: read, cpu: read, heap: () => 0, collectYoung: () => undefined };
    const run = async (provider: Parameters<typeof runWeather>[0]) => {
      await runWeather(provider);
      now += 100;
    };
    const { turn } = await createBenchLoop(meter)(run, cassette, once);
    expect(Math.abs(turn.median - 50)).toBeLessThan(1);
  });

  it("takes one sample in two runs, without a full garbage collection", async () => {
    const { meter, work } = fakeProcess();
    let runs = 0;
    const run = async (provider: Parameters<typeof runWeather>[0]) => {
      await runWeather(provider);
      work(100 * ++runs);
    };
    const heap = () => {
      throw new Error("the memory was measured");
    };
    const bench = await createBenchLoop({ ...meter, heap })(run, cassette, { ...once, samples: 1 });
    expect(bench).not.toHaveProperty("heap");
    expect([runs, bench.first, bench.turn.median]).toEqual([2, 50, 100]);
  });

  it("measures longer conversations, each with its own turns", async () => {
    const { meter, work } = fakeProcess();
    const run = async (provider: Parameters<typeof runWeather>[0]) => {
      const { messages } = await runWeather(provider);
      work(messages.length ** 2);
    };
    const { lengths } = await createBenchLoop(meter)(run, cassette, { ...once, lengths: [4, 10] });
    expect(lengths.map(({ turns, turn }) => [turns, turn.median])).toEqual([
      [4, 9 ** 2 / 4],
      [10, 21 ** 2 / 10],
    ]);
  });

  it("repeats the run until a sample is long enough", async () => {
    const { meter, work } = fakeProcess();
    let runs = 0;
    const run = async (provider: Parameters<typeof runWeather>[0]) => {
      await runWeather(provider);
      runs++;
      work(1000);
    };
    await createBenchLoop(meter)(run, cassette, { samples: 2, sampleMs: 3, warmMs: 5 });
    expect(runs).toBe(1 + 5 + 2 * 3 + 5 * 10);
  });

  it("refuses a run that uses fewer turns, and passes on a miss", async () => {
    const { meter } = fakeProcess();
    await expect(createBenchLoop(meter)(() => undefined, cassette, once)).rejects.toMatchObject({ code: "unconsumed" });
    const run = (provider: Parameters<typeof runWeather>[0]) => runWeather(provider, { goal: "Boots?" });
    await expect(createBenchLoop(meter)(run, cassette, once)).rejects.toMatchObject({ code: "prompt-changed" });
  });

  it.each([
    { samples: 0 },
    { samples: 1e9 },
    { sampleMs: -1 },
    { warmMs: Number.NaN },
    { clock: "sun" as "wall" },
    { lengths: [1] },
    { lengths: "10" as unknown as number[] },
    { sampleMS: 1 },
  ])("refuses %j", async (options) => {
    const { meter } = fakeProcess();
    const bench = createBenchLoop(meter)(runWeather, cassette, { ...once, ...options });
    await expect(bench).rejects.toMatchObject({ code: "invalid-options" });
  });
});

it.each([
  [undefined, {}, "run is not a function"],
  [runWeather, null, "the options are not an object"],
])("refuses wrong arguments: %s, %s", async (run, options, message) => {
  const { meter } = fakeProcess();
  const bench = createBenchLoop(meter)(run as typeof runWeather, cassette, options as LoopBenchOptions);
  await expect(bench).rejects.toMatchObject({
    code: "invalid-options",
    message: expect.stringContaining(message) as string,
  });
});

describe("the watch of a provider", () => {
  it("counts answers at the same time once", () => {
    let now = 0;
    const watch = createOutsideWatch(() => now);
    const at = (time: number, act: () => void) => ((now = time), act());
    at(5, watch.enter);
    at(6, watch.enter);
    at(8, watch.leave);
    at(10, watch.leave);
    at(14, watch.enter);
    at(15, watch.leave);
    expect([watch.firstAt, watch.inside, [...watch.pauses]]).toEqual([5, 6, [4]]);
  });
});
