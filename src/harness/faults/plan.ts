// Decides when faults strike: a seed decides for each call. Injected faults can be passed back as a schedule.

import { showValue, unknownOptions } from "../../core/index.js";
import { createRandom, type Random } from "../drift/statistics/random.js";
import { HarnessError } from "../errors.js";
import { MAX_LISTED_FAULTS } from "../limits.js";
import { countTo, integer, optional, share } from "./fields.js";

/** A fault at a call. `call` counts from 0 and includes the tries of a fallback. */
export interface Scheduled<F> {
  readonly call: number;
  readonly fault: F;
}

/** An injected fault. Pass the list as `schedule` to inject the same again. */
export interface Injected<F> extends Scheduled<F> {
  /** False if the fault did not apply to the answer, which was passed on unchanged. */
  readonly took: boolean;
}

interface DrawnFaults<F> {
  readonly faults: readonly F[];
  /** The share of calls that are struck, from 0 to 1. Default 0.25. */
  readonly rate?: number;
  /** A whole number. The same seed, faults and rate strike the same calls. Default 0. */
  readonly seed?: number;
  readonly schedule?: never;
}

interface ScheduledFaults<F> {
  /** The exact calls to strike. All other calls go through. */
  readonly schedule: readonly Scheduled<F>[];
  readonly faults?: never;
  readonly rate?: never;
  readonly seed?: never;
}

/** Either `schedule`, or `faults` and how often one of them strikes. */
export type FaultPlanOptions<F> = (DrawnFaults<F> | ScheduledFaults<F>) & {
  /** The most faults to inject, whether they apply or not. Default: no limit. */
  readonly maxFaults?: number;
};

export const PLAN_OPTIONS = ["faults", "rate", "seed", "maxFaults", "schedule"];
const DEFAULT_RATE = 0.25;

/** The fault of one call. It may have nothing to strike. */
export interface Struck<F> {
  readonly fault: F;
  /** Records that the fault had no effect. */
  miss(): void;
}

export interface FaultLog<F> {
  /** Every fault so far, with its call. Pass it as `schedule` to inject the same faults again. */
  readonly injected: readonly Injected<F>[];
  /** Scheduled faults that were not injected: their calls were not made, or `maxFaults` was met. */
  readonly pending: readonly Scheduled<F>[];
}

export interface FaultPlan<F> extends FaultLog<F> {
  /** Counts a call, and returns its fault if it has one. */
  next(): Struck<F> | undefined;
}

interface FaultTerms<F> {
  readonly problemOf: (fault: unknown) => string;
  /** Fills in the optional fields of a drawn fault. */
  readonly complete?: (fault: F, random: Random) => F;
}

/** Throws `HarnessError` `faults-unclear`, which names all problems. */
export function createPlan<F>(owner: string, options: FaultPlanOptions<F>, terms: FaultTerms<F>): FaultPlan<F> {
  assertPlan(owner, options, terms.problemOf);
  const { maxFaults = Infinity } = options;
  const scheduled = new Map((options.schedule ?? []).map(({ call, fault }) => [call, copyOf(fault)]));
  const find = options.schedule === undefined ? draw(options, terms) : (call: number) => scheduled.get(call);
  const injected: (Injected<F> & { took: boolean })[] = [];
  let [calls, struck] = [0, 0];

  return {
    injected,
    get pending() {
      return [...scheduled].map(([call, fault]) => ({ call, fault })).sort((one, other) => one.call - other.call);
    },
    next() {
      const call = calls++;
      const fault = struck < maxFaults ? find(call) : undefined;
      if (fault === undefined) return undefined;
      struck++;
      scheduled.delete(call);
      const entry = { call, fault, took: true };
      if (injected.length < MAX_LISTED_FAULTS) injected.push(entry);
      return { fault, miss: () => void (entry.took = false) };
    },
  };
}

/** Makes a frozen copy, so that nobody can change a plan. */
function copyOf<F>(fault: F): F {
  return Object.freeze(structuredClone(fault));
}

const SHARE_PARTS = 1_000_000;

function draw<F>(options: DrawnFaults<F>, { complete = (fault) => fault }: FaultTerms<F>) {
  const { rate = DEFAULT_RATE, seed = 0 } = options;
  const faults = options.faults.map(copyOf);
  return (call: number): F | undefined => {
    const random = createRandom(seed, `call ${call}`);
    if (random.below(SHARE_PARTS) >= rate * SHARE_PARTS) return undefined;
    const fault = faults[random.below(faults.length)];
    return fault === undefined ? undefined : complete(fault, random);
  };
}

/** Unchecked options. */
type Given = Readonly<Partial<Record<keyof FaultPlanOptions<unknown>, unknown>>>;

function assertPlan(owner: string, options: Given, problemOf: (fault: unknown) => string): void {
  assertNone(
    owner,
    planProblems(options, problemOf).map(({ text }) => text),
  );
}

/** A problem of a plan, and the path to its place. */
interface PlanProblem {
  readonly at: readonly (string | number)[];
  readonly text: string;
}

/** All problems of a plan except unknown options, which {@link assertFaultOptions} finds. */
export function planProblems(options: Given, problemOf: (fault: unknown) => string): PlanProblem[] {
  const { faults, rate, seed, maxFaults, schedule } = options;
  const at =
    (...path: (string | number)[]) =>
    (text: string) => ({ at: path, text });
  const isMixed = schedule !== undefined && (faults ?? rate ?? seed) !== undefined;
  return [
    at()(faults === undefined && schedule === undefined ? "faults or a schedule is required" : ""),
    at("schedule")(isMixed ? "a schedule must not be combined with faults, rate or seed" : ""),
    ...(faults === undefined ? [] : faultsProblems(faults, problemOf)).map((text, index) =>
      Array.isArray(faults) && faults.length > 0 ? at("faults", index)(text) : at("faults")(text),
    ),
    at("rate")(optional(share)("rate", rate)),
    at("seed")(optional(integer)("seed", seed)),
    at("maxFaults")(maxFaults === Infinity ? "" : optional(countTo(Number.MAX_SAFE_INTEGER))("maxFaults", maxFaults)),
    ...(schedule === undefined ? [] : scheduleProblems(schedule, problemOf)),
  ].filter(({ text }) => text !== "");
}

export function faultsProblems(faults: unknown, problemOf: (fault: unknown) => string): string[] {
  if (!Array.isArray(faults) || faults.length === 0) return ["faults must be a list with at least one fault"];
  return faults.map((fault: unknown, index) => named(`fault ${index}`, problemOf(fault)));
}

function scheduleProblems(schedule: unknown, problemOf: (fault: unknown) => string): PlanProblem[] {
  const at = ["schedule"];
  if (!Array.isArray(schedule))
    return [{ at, text: `schedule is ${showValue(schedule)}: give a list of { call, fault }` }];
  const entries = (schedule as unknown[]).map((entry) => (entry ?? {}) as Readonly<Record<string, unknown>>);
  const calls = entries.map(({ call }) => call);
  return [
    { at, text: callsProblem("schedule", calls) },
    ...entries.map((entry, index) => {
      const unknown = unknownOptions(entry, ["call", "fault", "took"]);
      const odd = unknown.length === 0 ? "" : `has no ${unknown.join(", ")}: give { call, fault }`;
      const call = `call ${showValue(entry["call"])}`;
      const text = named(`the entry of ${call}`, odd);
      if (text !== "") return { at: [...at, index], text };
      return { at: [...at, index, "fault"], text: named(`the fault of ${call}`, problemOf(entry["fault"])) };
    }),
  ];
}

function named(name: string, problem: string): string {
  return problem === "" ? "" : `${name}: ${problem}`;
}

/** The problem of a list of calls, or "". Each call may be struck only once. */
export function callsProblem(field: string, calls: readonly unknown[]): string {
  const seen = new Set<unknown>();
  for (const call of calls) {
    if (!Number.isSafeInteger(call) || Number(call) < 0) {
      return `${field} has the call ${showValue(call)}: give whole numbers, the first call is 0`;
    }
    if (seen.has(call)) return `${field} has two faults at call ${String(call)}`;
    seen.add(call);
  }
  return "";
}

/** Throws `faults-unclear` for anything other than an object of known options. */
export function assertFaultOptions(owner: string, options: unknown, known: readonly string[]): void {
  const hint = `The options are ${known.join(", ")}.`;
  if (typeof options !== "object" || options === null || Array.isArray(options)) {
    throw new HarnessError("faults-unclear", `${owner}: the options are ${showValue(options)}`, hint);
  }
  const unknown = unknownOptions(options, known);
  if (unknown.length === 0) return;
  throw new HarnessError("faults-unclear", `${owner} has an unknown option: ${unknown.join(", ")}`, hint);
}

/** The most problems that an error names: a long schedule may have as many as entries. */
const SHOWN_PROBLEMS = 10;

/** Throws `faults-unclear`, which names the problems that are not "". */
export function assertNone(owner: string, found: readonly string[]): void {
  const problems = found.filter((problem) => problem !== "");
  if (problems.length === 0) return;
  const rest = problems.length - SHOWN_PROBLEMS;
  const first = problems.slice(0, SHOWN_PROBLEMS).join("; ");
  throw new HarnessError("faults-unclear", `${owner}: ${first}${rest > 0 ? ` and ${rest} more` : ""}`);
}
