// The subject of a case: a new one from the factory that the suite was handed, looked at before anything is asked of it.

import { AgentError, defined, isThenable } from "../../core/index.js";
import { describeGiven, isClass, missingMethods } from "../contract/given.js";
import { describeThrown } from "../contract/thrown.js";
import { FactoryViolation, Violation, within } from "./case.js";

/** How long a call may take. Less than the five seconds after which Vitest and Jest end a test without saying of what. */
export const DEFAULT_PATIENCE_MS = 4_000;

/** How long a case is held up by the end of its subject, which is the matter of a case of its own. Both are less than those five. */
export const MAX_END_MS = 500;

/** A factory and what it should make. */
export interface Making {
  /** In words: `make of providerConformance`. */
  readonly owner: string;
  /** In words: `provider`. */
  readonly kind: string;
  /** What it must have. */
  readonly methods: readonly string[];
  readonly patienceMs: number;
  /** What was made before, so that nothing is made twice. */
  readonly made: WeakSet<object>;
}

/** Throws `AgentError` `invalid-options` for what is no factory. */
export function assertFactory(owner: string, factory: unknown, kind: string, methods: readonly string[]): void {
  if (typeof factory === "function" && !isClass(factory)) return;
  const isMade = !isThenable(factory) && missingMethods(factory, methods).length === 0;
  const what = isMade ? `one ${kind}` : describeGiven(factory);
  throw new AgentError("invalid-options", `${owner} is ${what}, and no function that makes a new ${kind}`, {
    hint: isClass(factory)
      ? `Pass () => new ${factory.name === "" ? "It" : factory.name}().`
      : `Pass a function that gives a new ${kind} at each call.`,
  });
}

/** The factory, each subject of which is new and whole; else it rejects with an error that says what the factory did. */
export function checkedFactory<A extends unknown[], T extends object>(
  making: Making,
  factory: (...args: A) => T | Promise<T>,
): (...args: A) => Promise<T> {
  const { owner, kind, patienceMs, made } = making;
  return async (...args) => {
    const subject = await within(
      patienceMs,
      owner,
      Promise.resolve().then(() => factory(...args)),
    ).catch((error: unknown) => {
      if (error instanceof Violation) throw bad(making, error.message, error.actual);
      const thrown = describeThrown(error);
      throw bad(making, `${owner} threw ${thrown}`, thrown, error);
    });
    const missing = missingMethods(subject, making.methods);
    if (missing.length > 0) {
      const given = describeGiven(subject);
      throw bad(making, `${owner} gave ${given}, which is no ${kind}: it has no ${missing.join(", no ")}`, given);
    }
    if (made.has(subject)) throw bad(making, `${owner} gave the same ${kind} as at an earlier call`, "the same one");
    made.add(subject);
    return subject;
  };
}

function bad({ kind }: Making, what: string, actual: unknown, cause?: unknown): FactoryViolation {
  const expected = `a new ${kind}`;
  return new FactoryViolation(`${what}. Let it make ${expected} at each call, which nobody else uses.`, {
    ...{ expected, actual },
    ...defined({ cause }),
  });
}
