// When faults strike. By a seed, each call is decided by itself: whether, and which; so the same seed strikes the same calls, and
// what was injected can be handed back as a schedule that strikes exactly these.

import { unknownOptions, showValue } from "../../core/index.js";
import { createRandom, type Random } from "../drift/statistics/random.js";
import { HarnessError } from "../errors.js";

/** A fault at a call. `call` counts from 0 what the caller asks, tries of a fallback included. */
export interface Scheduled<F> {
  readonly call: number;
  readonly fault: F;
}

/** What was injected. Give the list as `schedule` to have the same again. */
export interface Injected<F> extends Scheduled<F> {
  /** False where the answer had nothing that this fault could have struck, and was passed on as it was. */
  readonly took: boolean;
}

/** Either `schedule`, or `faults` and how often one of them strikes. */
export interface FaultPlanOptions<F> {
  /** To draw from. */
  readonly faults?: readonly F[];
  /** The share of calls that are struck, from 0 to 1. Default 0.25. */
  readonly rate?: number;
  /** A whole number. The same seed, faults and rate strike the same calls. Default 0. */
  readonly seed?: number;
  /** The most faults that strike. Default any number. */
  readonly maxFaults?: number;
  /** The very calls to strike; a call that is not in it goes through. */
  readonly schedule?: readonly Scheduled<F>[];
}

/** The names of these options. */
export const PLAN_OPTIONS = ["faults", "rate", "seed", "maxFaults", "schedule"];
const DEFAULT_RATE = 0.25;

/** Entries of `injected` that are kept. Later faults strike and are not listed. */
export const MAX_LISTED_FAULTS = 100_000;

/** The fault of one call, which may turn out to have nothing to strike. */
export interface Struck<F> {
  readonly fault: F;
  /** Notes that it did nothing. */
  miss(): void;
}

export interface FaultPlan<F> {
  /** Counts a call, and gives its fault where there is one. */
  next(): Struck<F> | undefined;
  readonly injected: readonly Injected<F>[];
}

/** Throws `HarnessError` `faults-unclear`. `complete` fills in what a drawn fault leaves open. */
export function createPlan<F>(
  owner: string,
  options: FaultPlanOptions<F>,
  complete: (fault: F, random: Random) => F = (fault) => fault,
): FaultPlan<F> {
  assertPlan(owner, options);
  const { maxFaults = Infinity } = options;
  const find = options.schedule === undefined ? draw(options, complete) : lookUp(options.schedule);
  const injected: (Injected<F> & { took: boolean })[] = [];
  let [calls, struck] = [0, 0];

  return {
    injected,
    next() {
      const call = calls++;
      const fault = struck < maxFaults ? find(call) : undefined;
      if (fault === undefined) return undefined;
      struck++;
      const entry = { call, fault, took: true };
      if (injected.length < MAX_LISTED_FAULTS) injected.push(entry);
      return { fault, miss: () => void (entry.took = false) };
    },
  };
}

/** Every fault that a plan could strike with. */
export function faultsOf<F>({ faults = [], schedule = [] }: FaultPlanOptions<F>): F[] {
  return [...faults, ...schedule.map(({ fault }) => fault)];
}

const SHARE_PARTS = 1_000_000;

function draw<F>(options: FaultPlanOptions<F>, complete: (fault: F, random: Random) => F) {
  const { faults = [], rate = DEFAULT_RATE, seed = 0 } = options;
  return (call: number): F | undefined => {
    const random = createRandom(seed, `call ${call}`);
    if (random.below(SHARE_PARTS) >= rate * SHARE_PARTS) return undefined;
    const fault = faults[random.below(faults.length)];
    return fault === undefined ? undefined : complete(fault, random);
  };
}

function lookUp<F>(schedule: readonly Scheduled<F>[]) {
  const byCall = new Map(schedule.map(({ call, fault }) => [call, fault]));
  return (call: number): F | undefined => byCall.get(call);
}

function assertPlan<F>(owner: string, options: FaultPlanOptions<F>): void {
  const { faults, rate, seed, maxFaults, schedule } = options;
  const problems = [
    faults === undefined && schedule === undefined ? "neither faults nor a schedule is given" : "",
    schedule !== undefined && (faults ?? rate ?? seed) !== undefined
      ? "a schedule is given beside faults, rate or seed"
      : "",
    faults === undefined || (Array.isArray(faults) && faults.length > 0) ? "" : "faults is no list with a fault in it",
    rate === undefined || (rate >= 0 && rate <= 1) ? "" : `rate is ${showValue(rate)}: give a share from 0 to 1`,
    seed === undefined || Number.isSafeInteger(seed) ? "" : `seed is ${showValue(seed)}: give a whole number`,
    maxFaults === undefined || maxFaults >= 0 ? "" : `maxFaults is ${showValue(maxFaults)}: give 0 or more`,
    schedule === undefined ? "" : scheduleProblem(schedule),
  ].filter((problem) => problem !== "");
  if (problems.length === 0) return;
  throw new HarnessError("faults-unclear", `${owner}: ${problems.join("; ")}`);
}

function scheduleProblem<F>(schedule: readonly Scheduled<F>[]): string {
  if (!Array.isArray(schedule)) return `schedule is ${showValue(schedule)}: give a list of { call, fault }`;
  const calls = schedule.map((entry: Partial<Scheduled<F>> | undefined) => entry?.call);
  const wrong = calls.find((call) => !Number.isSafeInteger(call) || Number(call) < 0);
  if (calls.includes(undefined) || wrong !== undefined)
    return `schedule has the call ${showValue(wrong)}: calls count from 0`;
  const twice = calls.find((call, index) => calls.indexOf(call) !== index);
  return twice === undefined ? "" : `schedule has two faults at call ${twice}`;
}

/** Throws `faults-unclear` for an option that nobody reads. */
export function assertFaultOptions(owner: string, options: object, known: readonly string[]): void {
  const unknown = unknownOptions(options, known);
  if (unknown.length === 0) return;
  const hint = `The options are ${known.join(", ")}.`;
  throw new HarnessError("faults-unclear", `${owner} has an unknown option: ${unknown.join(", ")}`, hint);
}
