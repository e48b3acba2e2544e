// The contract of SessionStore as cases for any test runner.

import type { SessionStore } from "../../../core/index.js";
import type { Clause } from "../../contract/clause.js";
import { within } from "../../contract/waiting.js";
import { readPatience, suiteFactory, toCases, type ConformanceCase, type ConformanceOptions } from "../case.js";
import { commitClauses } from "./commits.js";
import { keyClauses } from "./keys.js";

/** Opens a new, empty store at each call. */
export type OpenSessionStore = () => SessionStore | Promise<SessionStore>;

const OWNER = "sessionStoreConformance";

export const sessionStoreClauses: readonly Clause<SessionStore>[] = [...commitClauses, ...keyClauses];

/** Clauses that end in time even if the subject hangs. */
export function inTime<S>(clauses: readonly Clause<S>[], patienceMs: number): Clause<S>[] {
  return clauses.map((clause) => ({
    ...clause,
    check: (subject) => within(patienceMs, "the case", () => clause.check(subject)),
  }));
}

/**
 * The cases for the session store that `open` returns, a new and empty one at each call. The names of the cases are not stable, and
 * later versions may add cases. Throws `AgentError` `invalid-options` for a value that is not a function, and for an unknown option.
 */
export function sessionStoreConformance(open: OpenSessionStore, options: ConformanceOptions = {}): ConformanceCase[] {
  const patienceMs = readPatience(OWNER, options);
  const methods = ["load", "commit", "delete"];
  const kind = { suite: OWNER, kind: "session store", methods, patienceMs, made: new WeakSet<object>() };
  const opened = suiteFactory<[], SessionStore>(kind, "open", open);
  return toCases(inTime(sessionStoreClauses, patienceMs), opened, patienceMs);
}
