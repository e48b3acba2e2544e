// How every law is held: values are drawn until one breaks it, that one is shrunk, and the error says what broke, by which value
// and how to see it again. The seed and path are fast-check's own.

import fc from "fast-check";
import { AgentError, defined, showValue, toVisible } from "../../core/index.js";
import { violationOf } from "../contract/clause.js";
import { assertOptionsObject, assertWait, describeGiven } from "../contract/given.js";
import { HarnessError } from "../errors.js";

/** What all laws take. */
export interface LawOptions {
  /** How many values are tried. */
  readonly numRuns?: number;
  /** Of an earlier failure: the same values again, in the same order. */
  readonly seed?: number;
  /** Of an earlier failure: with its seed, the very value again. */
  readonly path?: string;
}

/** The names of the options that all laws take. */
export const LAW_OPTIONS = ["numRuns", "seed", "path"];

/** A law that does not hold. `message` has all of it in words. */
export class LawBrokenError extends HarnessError {
  /** The law, as a sentence. */
  readonly law: string;
  /** The least value found that breaks it. */
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

/** A law that does not hold for one value. */
class Breach extends Error {
  readonly law: string;

  constructor(law: string, what: string, cause: unknown) {
    super(what, { cause });
    this.law = law;
  }
}

/** Throws because `law` does not hold: `what` was seen. */
export function breaks(law: string, what: string, cause?: unknown): never {
  throw new Breach(law, what, cause);
}

/** Runs checks that clauses of a contract are made of; a violation breaks `law`. */
export function holds(law: string, check: () => void): void {
  const violation = violationOf(check);
  if (violation !== undefined) breaks(law, violation);
}

/** Whether something thrown is what {@link breaks} throws. */
export function isBreach(thrown: unknown): boolean {
  return thrown instanceof Breach;
}

/** One law, or several of one subject, and what they are held against. */
export interface Trial<T> {
  /** The call that a user repeats, without its options: `checkTool(tool`. */
  readonly call: string;
  /** What is held to the law, in words: `tool weather`. */
  readonly subject: string;
  readonly values: fc.Arbitrary<T>;
  /** Tried before any value is drawn. */
  readonly examples?: readonly T[];
  /** What of a value is shown. Default all of it. */
  readonly shown?: (value: T) => unknown;
  /** False takes the first value that breaks a law as it is: each further try may cost something. Default true. */
  readonly shrinks?: boolean;
  readonly options: LawOptions;
  readonly defaultRuns: number;
  /** Calls {@link breaks} where a law does not hold. */
  judge(value: T): Promise<void>;
}

/** Gives how many values were tried. Throws {@link LawBrokenError}, and what else `judge` throws as it is. */
export async function holdLaws<T>(trial: Trial<T>): Promise<number> {
  const { numRuns = trial.defaultRuns, seed, path } = trial.options;
  assertRuns(trial.call, numRuns);
  let fault: { error: unknown } | undefined;
  const property = fc.asyncProperty(trial.values, async (value) => {
    try {
      await trial.judge(value);
    } catch (error) {
      // What is no breach is a fault of the check itself, and is not to be shrunk.
      if (!(error instanceof Breach)) fault ??= { error };
      throw error;
    }
  });
  const details = await fc.check(property, {
    numRuns,
    endOnFailure: trial.shrinks === false,
    ...defined({ seed, path }),
    ...(trial.examples === undefined ? {} : { examples: trial.examples.map((example): [T] => [example]) }),
  });
  if (fault !== undefined) throw fault.error;
  if (details.failed) throw toError(trial, details);
  return details.numRuns;
}

function toError<T>(trial: Trial<T>, details: fc.RunDetails<[T]>): Error {
  const breach = details.errorInstance;
  const value = details.counterexample?.[0];
  if (!(breach instanceof Breach) || details.counterexample === null) {
    return new HarnessError(
      "law-empty",
      `${trial.subject}: no value could be tried`,
      "Raise numRuns, or leave path out.",
    );
  }
  const counterexample = trial.shown === undefined ? value : trial.shown(value as T);
  const [seed, path] = [details.seed, details.counterexamplePath ?? ""];
  const times = details.numShrinks === 1 ? "once" : `${details.numShrinks} times`;
  const examples = trial.examples === undefined || trial.examples.length === 0 ? "" : " with the same examples";
  const message = [
    `${trial.subject} breaks the law "${breach.law}": ${breach.message}`,
    `counterexample${details.numShrinks === 0 ? "" : ` (shrunk ${times})`}: ${shownValue(counterexample)}`,
    `again${examples}: ${trial.call}, { seed: ${seed}, path: ${JSON.stringify(path)} })`,
  ].join("\n");
  return new LawBrokenError(message, { law: breach.law, counterexample, seed, path, cause: breach.cause });
}

const MAX_SHOWN = 2_000;

/** A value as it would be typed, on one line. */
export function shownValue(value: unknown): string {
  const text = toVisible(fc.stringify(value));
  return text.length <= MAX_SHOWN ? text : `${text.slice(0, MAX_SHOWN)}… (${text.length} characters)`;
}

function assertRuns(call: string, numRuns: unknown): void {
  if (Number.isSafeInteger(numRuns) && (numRuns as number) > 0) return;
  throw new HarnessError(
    "law-empty",
    `${call}): numRuns is ${showValue(numRuns)}`,
    "Give a whole number of 1 or more.",
  );
}

/** The options of a check, which are closed. Throws `AgentError` `invalid-options`. */
export function assertLawOptions(owner: string, options: object, own: readonly string[]): void {
  assertOptionsObject(owner, options, [...LAW_OPTIONS, ...own]);
  const { seed, path, examples, prompts, secrets, timeoutMs, minAccepted, minAnswered } = options as Loose;
  assertOption(owner, "seed", seed, Number.isSafeInteger(seed), "the whole number of an earlier failure");
  assertOption(owner, "path", path, typeof path === "string", "the text of an earlier failure");
  assertWait(owner, "timeoutMs", timeoutMs);
  for (const [name, list] of Object.entries({ examples, prompts, secrets })) {
    assertOption(owner, name, list, Array.isArray(list), "a list");
  }
  for (const [name, least] of Object.entries({ minAccepted, minAnswered })) {
    assertOption(owner, name, least, typeof least === "number" && least >= 0, "a number of 0 or more");
  }
  for (const name of ["mayThrow", "mayReject"]) {
    const may = (options as Loose)[name];
    assertOption(owner, name, may, typeof may === "function", "a function");
  }
}

type Loose = Readonly<Partial<Record<string, unknown>>>;

function assertOption(owner: string, name: string, value: unknown, isRight: boolean, wanted: string): void {
  if (value === undefined || isRight) return;
  throw new AgentError("invalid-options", `${name} of ${owner} is ${describeGiven(value)}`, {
    hint: `Give ${wanted}, or leave it out.`,
  });
}

/** Throws `law-empty` unless `count` of what a law is about was seen. */
export function assertSeen(count: number, least: number, what: string, hint: string): void {
  if (count >= least) return;
  throw new HarnessError("law-empty", `${what}: ${count}, and ${least} are needed for the check to say anything`, hint);
}

/** What is tried first is what a check is for. Throws `AgentError` `invalid-options`, with the first that is not. */
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
