// Samples contestants in turn (A B C A B C …), so that a slow moment of the machine hits all of them, and summarises them.

import { readFileSync } from "node:fs";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { pause } from "./scratch.mjs";

/**
 * @typedef {object} Contestant
 * @property {string} name
 * @property {() => unknown} [run] one run of the work, awaited if it returns a promise
 * @property {number} [units] the divisor for the microseconds of a run
 * @property {(result: unknown) => void} [check] throws unless the last run of a sample did its work, not timed
 * @property {() => Promise<number> | number} [sample] instead of `run`: takes one sample and returns its figure
 * @property {boolean} [isOptional] needs a tool or package that not every machine has
 */

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc");

/**
 * Collects young garbage, so that no contestant pays for the garbage of another. A full collection would also drop the hidden
 * classes that compiled code relies on, and that code. A turn of ours then takes five times as long (measured).
 */
export function collectGarbage() {
  collect({ type: "minor" });
}

/**
 * Microseconds per unit of each contestant. Every sample repeats a run until it lasts `sampleMs`. A contestant that throws is
 * left out from then on, and its row gives the reason. `clock` is "wall", or "cpu" for the processor time of this process.
 */
export async function measure(contestants, { rounds = 15, sampleMs = 40, warmMs = 0, clock = "wall" } = {}) {
  const states = contestants.map((contestant) => ({ contestant, values: [], repeats: 1, failed: undefined }));
  const options = { sampleMs, warmMs, clock };
  for (const state of states) await attempt(state, () => prepare(state, options));
  for (let round = 0; round < rounds; round++) {
    for (const state of states) await attempt(state, () => takeSample(state, options));
  }
  return states.map(({ contestant: { name, isOptional = false }, values, failed }) =>
    failed === undefined ? { name, ...summarise(values) } : { name, failed, isOptional },
  );
}

async function attempt(state, act) {
  if (state.failed !== undefined) return;
  try {
    await act();
  } catch (error) {
    state.failed = error instanceof Error ? error.message : String(error);
  }
}

async function prepare(state, options) {
  if (state.contestant.sample === undefined) Object.assign(state, await calibrate(state.contestant, options));
}

/**
 * Number of runs of a contestant in a sample of `sampleMs`, and the duration of one. Runs it for `warmMs` first, so that its code is
 * compiled for its values.
 */
export async function calibrate(contestant, { sampleMs, warmMs, clock }) {
  const wanted = sampleMs * 1000;
  let [spent, repeats] = [0, 1];
  for (;;) {
    const micros = await time(contestant, repeats, clock);
    spent += micros;
    if (spent >= Math.max(warmMs * 1000, wanted))
      return { repeats: Math.max(1, Math.round((repeats * wanted) / micros)), runMs: micros / repeats / 1000 };
    if (micros < wanted) repeats = Math.ceil(repeats * Math.min(10, Math.max(1.5, wanted / micros)));
  }
}

/**
 * Runs a contestant for a fifth of `warmMs` before a sample, unless one run takes longer. Others have run since its last sample, and a full
 * collection may have dropped its compiled code. A sample then takes up to five times as long (measured).
 */
export async function warmAgain({ run }, { warmMs, runMs }) {
  const end = performance.now() + warmMs / 5;
  while (runMs < warmMs / 5 && performance.now() < end) await run();
}

async function takeSample({ contestant, repeats, runMs, values }, options) {
  await pause();
  if (contestant.sample === undefined) await warmAgain(contestant, { ...options, runMs });
  collectGarbage();
  if (contestant.sample !== undefined) values.push(await contestant.sample());
  else values.push((await time(contestant, repeats, options.clock)) / repeats / contestant.units);
}

/** Microseconds of this many runs. The last one is checked. */
export async function time({ run, check }, repeats, clock) {
  let result;
  const started = readClock(clock);
  for (let index = 0; index < repeats; index++) result = await run();
  const micros = readClock(clock) - started;
  check?.(result);
  return micros;
}

/**
 * The peak of the resident set of a process, in MiB. `maxRSS` is at least that of its parent at the start of the process, because a child
 * shares its memory until it runs another program. So Linux is asked for the peak of that program alone.
 */
export function peakMiB(pid = "self") {
  if (process.platform !== "linux" && pid === "self") return process.resourceUsage().maxRSS / 1024;
  const [, kilobytes] = /^VmHWM:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"));
  return Number(kilobytes) / 1024;
}

/** Microseconds since some moment. */
export function readClock(clock) {
  if (clock === "wall") return Number(process.hrtime.bigint()) / 1000;
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** The median, the spread (the middle half of the samples), and the samples in their order. */
export function summarise(values) {
  return {
    median: quantile(values, 0.5),
    low: quantile(values, 0.25),
    high: quantile(values, 0.75),
    samples: values.length,
    values,
  };
}

/** Between two samples in proportion. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  const place = share * (sorted.length - 1);
  const below = sorted[Math.floor(place)];
  return below + (sorted[Math.ceil(place)] - below) * (place - Math.floor(place));
}

/** `a` divided by `b`, sample by sample within each round. Undefined if one of the two has no samples. */
export function ratioOf(a, b) {
  return pairwise(a, b, (ours, other) => ours / other);
}

/** `a` without `b`, sample by sample within each round. Undefined if one of the two has no samples. */
export function differenceOf(a, b) {
  return pairwise(a, b, (ours, other) => ours - other);
}

function pairwise(a, b, combine) {
  if (a?.values === undefined || b?.values === undefined) return undefined;
  const length = Math.min(a.values.length, b.values.length);
  return summarise(Array.from({ length }, (_, index) => combine(a.values[index], b.values[index])));
}
