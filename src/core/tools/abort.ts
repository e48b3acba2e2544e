// Checks and creates the error of an aborted run, and waits for what a host answers.

import { AgentError } from "../errors.js";
import { isThenable, untilAborted, type Maybe } from "../time/wait.js";

export function assertNotAborted(signal: AbortSignal): void {
  if (signal.aborted) throw abortError(signal);
}

export function abortError(signal: AbortSignal): AgentError {
  return new AgentError("aborted", "the run was aborted", { cause: signal.reason });
}

/** What `ask` answers, at once if it does so. Throws or rejects with `aborted` once the signal fires, else with what `ask` throws. */
export function unlessAborted<T>(signal: AbortSignal, ask: () => Maybe<T>): Maybe<T> {
  let answer: Maybe<T>;
  try {
    answer = ask();
  } catch (error) {
    assertNotAborted(signal);
    throw error;
  }
  if (isThenable(answer)) return settleUnlessAborted(signal, answer);
  assertNotAborted(signal);
  return answer;
}

async function settleUnlessAborted<T>(signal: AbortSignal, answer: PromiseLike<T>): Promise<T> {
  try {
    return await untilAborted(answer, signal, abortError);
  } finally {
    // An abort that came with the answer wins.
    assertNotAborted(signal);
  }
}
