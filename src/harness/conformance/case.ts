// The runner of fixed cases: each clause of a contract becomes a case for any test runner, checked against its own subject.

import { AgentError, isThenable } from "../../core/index.js";
import { Violation, type Clause } from "../contract/clause.js";
import { checkedFactory, factoryHint, type Making } from "../contract/factory.js";
import { assertOptionsObject, assertWait, describeGiven, isClass, missingMethods } from "../contract/check-inputs.js";
import { describeThrown } from "../contract/thrown.js";
import { settle } from "../contract/waiting.js";
import { DEFAULT_CONFORMANCE_PATIENCE_MS, MAX_SUBJECT_END_MS } from "../limits.js";

/** One fact that must hold. Pass `name` and `run` to the test runner. */
export interface ConformanceCase {
  readonly name: string;
  /** Rejects with an Error if the fact does not hold. It has `expected` and `actual`, and its message says what to do. */
  run(): Promise<void>;
}

/** A violation by the factory of the subject. Its message already says what to do. */
class FactoryViolation extends Violation {}

export interface ConformanceOptions {
  /**
   * Milliseconds after which a call counts as one that never ends. Default 4,000, which is less than the five seconds that Vitest
   * and Jest give a test: raise both for a slow subject.
   */
  readonly patienceMs?: number;
}

export function readPatience(owner: string, options: ConformanceOptions, known = ["patienceMs"]): number {
  assertOptionsObject(owner, options, known);
  assertWait(owner, "patienceMs", options.patienceMs);
  return options.patienceMs ?? DEFAULT_CONFORMANCE_PATIENCE_MS;
}

export interface SuiteSubject {
  readonly suite: string;
  /** In words: `provider`. */
  readonly kind: string;
  readonly methods: readonly string[];
  readonly patienceMs: number;
  /** The subjects made so far, by any factory of the suite. */
  readonly made: WeakSet<object>;
}

/** The factory that a suite received as `name`. Its faults are reported. Throws `AgentError` `invalid-options`. */
export function suiteFactory<A extends unknown[], T>(
  subject: SuiteSubject,
  name: string,
  factory: (...args: A) => T | Promise<T>,
): (...args: A) => Promise<T> {
  const { suite, kind, methods, patienceMs, made } = subject;
  const missing = (given: unknown) => missingMethods(given, methods);
  if (typeof factory !== "function" || isClass(factory)) {
    const isSubject = !isThenable(factory) && missing(factory).length === 0;
    const given = isSubject ? `one ${kind}` : describeGiven(factory);
    const message = `${name} of ${suite} is ${given}, and not a function that creates a new ${kind}`;
    const hint = factoryHint(factory, `Pass a function that returns a new ${kind} at each call.`);
    throw new AgentError("invalid-options", message, { hint });
  }
  return checkedFactory({ kind, missing, made, blame: blameFactory(subject, name) }, patienceMs, factory);
}

export function blameFactory({ suite, kind }: SuiteSubject, name: string): Making["blame"] {
  const expected = `a new ${kind}`;
  return (fault, actual, cause) => {
    const message = `${name} of ${suite} ${fault}. Return ${expected} at each call, which nothing else uses.`;
    throw new FactoryViolation(message, { expected, actual, cause });
  };
}

/** A case for each clause. `open` returns its subject, and `end` is called with it afterwards, even if the check failed. */
export function toCases<S>(
  clauses: readonly Clause<S>[],
  open: () => S | Promise<S>,
  patienceMs: number,
  end: (subject: S) => unknown = () => undefined,
): ConformanceCase[] {
  return clauses.map(({ name, advice, check }) => ({
    name,
    run: async () => {
      const subject = await open();
      try {
        await advised(advice, () => check(subject));
      } finally {
        // A separate case reports an end that fails.
        await settle(() => end(subject), Math.min(patienceMs, MAX_SUBJECT_END_MS));
      }
    },
  }));
}

/** Runs one check. Every failure becomes one kind of error, whose message ends with what to do. */
async function advised(advice: string, check: () => void | Promise<void>): Promise<void> {
  try {
    await check();
  } catch (error) {
    if (error instanceof FactoryViolation) throw error;
    if (error instanceof Violation) throw new Violation(`${error.message}. ${advice}`, error);
    const actual = describeThrown(error);
    throw new Violation(`it threw ${actual}. ${advice}`, { expected: "no error", actual, cause: error });
  }
}
