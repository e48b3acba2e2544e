// The fast-check runner of all laws. It shrinks the first value that breaks a law, and reports how to repeat the failure.

import fc from "fast-check";
import { AgentError, defined, showValue, toVisible } from "../../core/index.js";
import { violationOf } from "../contract/clause.js";
import { assertOptionsObject, assertWait, describeGiven } from "../contract/check-inputs.js";
import { HarnessError } from "../errors.js";

export interface LawOptions {
  /** The number of values to try. */
  readonly numRuns?: number;
  /** The seed of an earlier failure, to try the same values in the same order. */
  readonly seed?: number;
  /** The path of an earlier failure. With its seed, only the failing value is tried. */
  readonly path?: string;
}

const LAW_OPTIONS = ["numRuns", "seed", "path"];

/** A broken law. `message` describes all of it. */
export class LawBrokenError extends HarnessError {
  /** The law, as a sentence. */
  readonly law: string;
  /** The smallest value found that breaks the law. */
  readonly counterexample: unknown;
  readonly seed: number;
  readonly path: string;

  constructor(
    message: string,
    found: { law: string; counterexample: unknown; seed: number; path: string; cause: unknown },
  ) {
    super("law-broken", message);
    this.name = "LawBrokenError";
    this.law = found.law;
    this.counterexample = found.counterexample;
    this.seed = found.seed;
    this.path = found.path;
    this.cause = found.cause;
  }
}

class Breach extends Error {
  readonly law: string;

  constructor(law: string, what: string, cause: unknown) {
    super(what, { cause });
    this.law = law;
  }
}

/** Throws because `law` is broken. `what` describes the observation. */
export function breaks(law: string, what: string, cause?: unknown): never {
  throw new Breach(law, what, cause);
}

/** Runs the checks of a contract's clauses. A violation breaks `law`. */
export function holds(law: string, check: () => void): void {
  const violation = violationOf(check);
  if (violation !== undefined) breaks(law, violation);
}

export function isBreach(thrown: unknown): boolean {
  return thrown instanceof Breach;
}

export interface Trial<T> {
  /** The call for a user to repeat, without its options: `checkTool(tool`. */
  readonly call: string;
  /** The subject in words: `tool weather`. */
  readonly subject: string;
  readonly values: fc.Arbitrary<T>;
  readonly examples?: readonly T[];
  /** False reports the first value that breaks a law without shrinking, because each try may cost something. Default true. */
  readonly shrinks?: boolean;
  readonly options: LawOptions;
  readonly defaultRuns: number;
  /** Calls {@link breaks} for a broken law. */
  judge(value: T): Promise<void>;
}

/** Returns the number of values tried. Throws {@link LawBrokenError}. Other errors of `judge` pass through. */
export async function holdLaws<T>(trial: Trial<T>): Promise<number> {
  const { numRuns = trial.defaultRuns, seed, path } = trial.options;
  if (!Number.isSafeInteger(numRuns) || numRuns <= 0) {
    const hint = "Give a whole number of 1 or more.";
    throw new HarnessError("law-empty", `${trial.call}): numRuns is ${showValue(numRuns)}`, hint);
  }
  let fault: { error: unknown } | undefined;
  const property = fc.asyncProperty(trial.values, async (value) => {
    try {
      await trial.judge(value);
    } catch (error) {
      // Any other error is a fault of the check itself, and must not be shrunk.
      if (!(error instanceof Breach)) fault ??= { error };
      throw error;
    }
  });
  const details = await fc.check(property, {
    numRuns,
    endOnFailure: trial.shrinks === false,
    ...defined({ seed, path, examples: trial.examples?.map((example): [T] => [example]) }),
  });
  if (fault !== undefined) throw fault.error;
  if (details.failed) throw toError(trial, details);
  return details.numRuns;
}

function toError<T>(trial: Trial<T>, details: fc.RunDetails<[T]>): Error {
  const breach = details.errorInstance;
  if (!(breach instanceof Breach) || details.counterexample === null) {
    const hint = "Raise numRuns, or leave path out.";
    return new HarnessError("law-empty", `${trial.subject}: no value could be tried`, hint);
  }
  const [counterexample] = details.counterexample;
  const [seed, path] = [details.seed, details.counterexamplePath ?? ""];
  const times = details.numShrinks === 1 ? "once" : `${details.numShrinks} times`;
  const examples = (trial.examples ?? []).length === 0 ? "" : " with the same examples";
  const message = [
    `${trial.subject} breaks the law "${breach.law}": ${breach.message}`,
    `counterexample${details.numShrinks === 0 ? "" : ` (shrunk ${times})`}: ${shownValue(counterexample)}`,
    `again${examples}: ${trial.call}, { seed: ${seed}, path: ${JSON.stringify(path)} })`,
  ].join("\n");
  return new LawBrokenError(message, { law: breach.law, counterexample, seed, path, cause: breach.cause });
}

const SHOWN_CHARACTERS = 2_000;

/** A value as source code, on one line. */
function shownValue(value: unknown): string {
  const text = toVisible(fc.stringify(value));
  return text.length <= SHOWN_CHARACTERS ? text : `${text.slice(0, SHOWN_CHARACTERS)}… (${text.length} characters)`;
}

export function assertLawOptions(owner: string, options: object, own: readonly string[]): void {
  assertOptionsObject(owner, options, [...LAW_OPTIONS, ...own]);
  for (const [name, value] of Object.entries(options) as [string, unknown][]) {
    if (name === "timeoutMs") assertWait(owner, name, value);
    const rule = OPTION_RULES[name];
    if (rule === undefined || value === undefined || rule.allows(value)) continue;
    throw new AgentError("invalid-options", `${name} of ${owner} is ${describeGiven(value)}`, {
      hint: `Give ${rule.wanted}, or leave it out.`,
    });
  }
}

interface OptionRule {
  readonly allows: (value: unknown) => boolean;
  readonly wanted: string;
}

const LIST: OptionRule = { allows: Array.isArray, wanted: "a list" };
const FUNCTION: OptionRule = { allows: (value) => typeof value === "function", wanted: "a function" };
const LEAST: OptionRule = {
  allows: (value) => typeof value === "number" && value >= 0,
  wanted: "a number of 0 or more",
};
const OPTION_RULES: Readonly<Record<string, OptionRule>> = {
  seed: { allows: Number.isSafeInteger, wanted: "the whole number of an earlier failure" },
  path: { allows: (value) => typeof value === "string", wanted: "the text of an earlier failure" },
  ...{ examples: LIST, prompts: LIST, secrets: LIST, mayThrow: FUNCTION, mayReject: FUNCTION },
  ...{ minAccepted: LEAST, minAnswered: LEAST },
};

/** Throws `law-empty` unless a law saw at least `least` of its subject. */
export function assertSeen(count: number, least: number, what: string, hint: string): void {
  if (count >= least) return;
  throw new HarnessError("law-empty", `${what}: ${count}, but the check needs at least ${least}`, hint);
}

export function assertExamples(
  owner: string,
  examples: readonly unknown[] = [],
  findFault: (example: unknown) => string | undefined,
): void {
  for (const [index, example] of examples.entries()) {
    const fault = findFault(example);
    if (fault === undefined) continue;
    throw new AgentError("invalid-options", `example ${index} of ${owner} is ${describeGiven(example)}: ${fault}`, {
      hint: "Correct it, or leave it out.",
    });
  }
}
