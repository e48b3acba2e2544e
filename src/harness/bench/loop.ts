// The benchmark of a turn loop in this process: a cassette answers at once, so the rest of the time is the loop's own.

import {
  CassetteError,
  cassetteProvider,
  checkCassette,
  type CassetteProvider,
  type CassetteV2,
} from "../../cassette/index.js";
import { defined, unknownOptions, type LlmProviderAdapter, type LlmStreamEvent } from "../../core/index.js";
import {
  DEFAULT_BENCH_SAMPLE_MS,
  DEFAULT_BENCH_SAMPLES,
  DEFAULT_BENCH_WARM_MS,
  HEAP_RUNS,
  HEAP_SAMPLES,
  MAX_BENCH_SAMPLES,
} from "../limits.js";
import { toFigure, type Figure } from "./figure.js";
import { stretchCassette } from "./stretch.js";
import { createOutsideWatch, type OutsideWatch } from "./watch.js";

/** Options of {@link BenchLoop}. */
export interface LoopBenchOptions {
  /** Number of samples of each length. Default 15. */
  readonly samples?: number;
  /** Shortest time in ms of a sample. A sample repeats the run until then. Default 40. */
  readonly sampleMs?: number;
  /** Milliseconds of runs of each length before its first sample, so that the code is compiled. Default 500. */
  readonly warmMs?: number;
  /** `cpu` measures the processor time of the process, for a machine with other users. Default `wall`. */
  readonly clock?: "wall" | "cpu";
  /** Also measures the run on the cassette stretched to these numbers of turns. */
  readonly lengths?: readonly number[];
}

/** The cost of a run outside of the provider. Times are in microseconds. */
export interface LoopBench {
  turns: number;
  calls: number;
  /** The time of a turn. */
  turn: Figure;
  /** The time of all turns divided by the number of tool calls. Absent without calls. */
  call?: Figure;
  /** The time of a turn in the first run of this benchmark. */
  first: number;
  /** Bytes that stay in memory after a run. Absent with one sample, because full garbage collections take most of its time. */
  heap?: Figure;
  /** The time of a turn in longer conversations, in the order of the option. */
  lengths: { turns: number; turn: Figure }[];
}

/**
 * Replays `run` many times and measures what it costs outside of the provider. `run` must use every recorded turn. Throws `CassetteError`:
 * that of a replay, `unconsumed`, or `invalid-options`.
 */
export type BenchLoop = (
  run: (provider: LlmProviderAdapter) => unknown,
  cassette: unknown,
  options?: LoopBenchOptions,
) => Promise<LoopBench>;

/** The clocks and the memory of a process. */
export interface Meter {
  /** Microseconds since some moment. */
  readonly wall: () => number;
  /** Microseconds of processor time. */
  readonly cpu: () => number;
  /** Bytes in use after a garbage collection. */
  readonly heap: () => number;
  /** Makes a sample independent of the garbage before it. */
  readonly collectYoung: () => void;
}

type Run = Parameters<BenchLoop>[0];

export function createBenchLoop(meter: Meter): BenchLoop {
  return async (run, cassette, options = {}) => {
    if (typeof run !== "function") throw wrong("run is not a function");
    if (typeof options !== "object" || (options as unknown) === null) throw wrong("the options are not an object");
    const unknown = unknownOptions(options, OPTIONS);
    if (unknown.length > 0) throw wrong(`there is no option ${unknown.join(", ")}`);
    const { samples = DEFAULT_BENCH_SAMPLES, warmMs = DEFAULT_BENCH_WARM_MS, lengths = [] } = options;
    const { sampleMs = DEFAULT_BENCH_SAMPLE_MS, clock = "wall" } = options;
    assertOptions({ samples, sampleMs, warmMs, clock, lengths });
    const recorded = checkCassette(cassette, lengths.length > 0 ? { requireIntegrity: true } : {});
    const tracks = [recorded, ...lengths.map((turns) => stretchCassette(recorded as CassetteV2, turns))].map((each) =>
      openTrack(run, cassetteProvider(each), meter[clock]),
    );
    const [own, ...longer] = tracks as [Track, ...Track[]];
    const first = await own.run();
    if (warmMs > 0) for (const track of tracks) await track.warmUp(warmMs * 1000);
    for (let sample = 0; sample < samples; sample++) {
      for (const track of tracks) {
        meter.collectYoung();
        await track.sample(sampleMs * 1000);
      }
    }
    const turn = own.figure();
    return {
      turns: own.turns,
      calls: own.calls,
      turn,
      ...defined({ call: own.calls === 0 ? undefined : scaled(turn, own.turns / own.calls) }),
      first: first / own.turns,
      ...defined({ heap: samples === 1 ? undefined : await heapGrowth(own, meter) }),
      lengths: longer.map((track) => ({ turns: track.turns, turn: track.figure() })),
    };
  };
}

interface Track {
  readonly turns: number;
  readonly calls: number;
  /** Runs once. Resolves to the time outside of the provider. */
  run(): Promise<number>;
  warmUp(micros: number): Promise<void>;
  /** Keeps the mean time of a turn in runs that take this long together. */
  sample(micros: number): Promise<void>;
  figure(): Figure;
}

function openTrack(run: Run, cassette: CassetteProvider, now: () => number): Track {
  const { entries } = cassette.cassette;
  const values: number[] = [];
  const readingCost = costOf(now);
  const once = async (): Promise<number> => {
    cassette.reset();
    const watch = createOutsideWatch(now);
    const began = now();
    await run(watched(cassette, watch));
    // Each pause contains about one reading of the clock, half of it at either end. For processor time, it takes a microsecond or more.
    const outside = now() - began - watch.inside - readingCost * (watch.pauses.length + 2);
    cassette.assertAnswered();
    cassette.assertConsumed();
    return outside;
  };
  /** The mean time of a run, of at least one. */
  const repeat = async (micros: number): Promise<number> => {
    const until = now() + micros;
    let [sum, runs] = [0, 0];
    do {
      sum += await once();
      runs++;
    } while (now() < until);
    return sum / runs;
  };
  return {
    turns: entries.length,
    calls: entries.reduce((sum, { response }) => sum + (response.message.toolCalls?.length ?? 0), 0),
    run: once,
    warmUp: async (micros) => {
      await repeat(micros);
    },
    sample: async (micros) => {
      values.push((await repeat(micros)) / entries.length);
    },
    figure: () => toFigure(values),
  };
}

const BATCHES = 20;
const READINGS = 100;

/** The time that one reading of the clock takes: the least of several batches, because the system may interrupt one. */
function costOf(now: () => number): number {
  let least = Infinity;
  for (let batch = 0; batch < BATCHES; batch++) {
    const began = now();
    for (let reading = 1; reading < READINGS; reading++) now();
    least = Math.min(least, (now() - began) / READINGS);
  }
  return least;
}

function watched(provider: CassetteProvider, watch: OutsideWatch): LlmProviderAdapter {
  return {
    name: provider.name,
    async turn(request) {
      watch.enter();
      try {
        return await provider.turn(request);
      } finally {
        watch.leave();
      }
    },
    stream: (request) => watchedStream(provider.stream(request), watch),
  };
}

/** The loop's work between two events counts as outside of the provider. */
async function* watchedStream(
  events: AsyncIterable<LlmStreamEvent>,
  watch: OutsideWatch,
): AsyncGenerator<LlmStreamEvent> {
  const iterator = events[Symbol.asyncIterator]();
  try {
    for (;;) {
      watch.enter();
      let next: IteratorResult<LlmStreamEvent>;
      try {
        next = await iterator.next();
      } finally {
        watch.leave();
      }
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    await iterator.return?.();
  }
}

/** After the samples, because a full collection drops compiled code too. */
async function heapGrowth(track: Track, { heap }: Meter): Promise<Figure> {
  const growths: number[] = [];
  let before = heap();
  for (let sample = 0; sample < HEAP_SAMPLES; sample++) {
    for (let runs = 0; runs < HEAP_RUNS; runs++) await track.run();
    const now = heap();
    growths.push((now - before) / HEAP_RUNS);
    before = now;
  }
  return toFigure(growths);
}

function scaled({ median, low, high, samples }: Figure, by: number): Figure {
  return { median: median * by, low: low * by, high: high * by, samples };
}

const OPTIONS = ["samples", "sampleMs", "warmMs", "clock", "lengths"] as const satisfies (keyof LoopBenchOptions)[];

function assertOptions({ samples, sampleMs, warmMs, clock, lengths }: Required<LoopBenchOptions>): void {
  if (!Number.isSafeInteger(samples) || samples < 1 || samples > MAX_BENCH_SAMPLES) {
    throw wrong(`samples is ${String(samples)}`);
  }
  if (!Array.isArray(lengths)) throw wrong("lengths is not a list");
  for (const [name, value] of Object.entries({ sampleMs, warmMs })) {
    if (!Number.isFinite(value) || value < 0) throw wrong(`${name} is ${String(value)}`);
  }
  if ((clock as string) !== "wall" && (clock as string) !== "cpu") throw wrong(`clock is ${clock}`);
}

function wrong(what: string): CassetteError {
  const hint = `Call benchLoop(run, cassette, options). The options are ${OPTIONS.join(", ")}: 1 to ${MAX_BENCH_SAMPLES} samples, times of 0 ms or more, wall or cpu, and a list of numbers of turns.`;
  return new CassetteError("invalid-options", `benchLoop: ${what}`, { hint });
}
