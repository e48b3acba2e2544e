// Calls of a store that somebody else wrote: each ends in time, and fails with an error of ours.

import { AgentError } from "../../errors.js";
import { STORE_RETRIES, STORE_RETRY_MS, STORE_TIMEOUT_MS } from "../../limits.js";
import type { Ports } from "../../ports.js";
import { quoteForeign } from "../../text/mask.js";
import { showValue } from "../../text/show.js";
import { isThrown, thrownText } from "../../text/thrown.js";
import { sleep, within } from "../../time/wait.js";

type Timer = Pick<Ports, "timer">;

/** Rejects with `AgentError`, as `store-failed` where the store threw something else. */
export async function askStore<T>(ports: Timer, method: string, call: () => Promise<T> | T): Promise<T> {
  try {
    return await within(Promise.resolve(call()), STORE_TIMEOUT_MS, ports);
  } catch (error) {
    if (isThrown(error, AgentError)) throw error;
    throw new AgentError("store-failed", `${method} of the store failed: ${quoteForeign(thrownText(error))}`, {
      hint: "See `cause`.",
      retryable: true,
      cause: error,
    });
  }
}

/** The error for an answer that breaks the contract of a store. */
export function wrongAnswer(method: string, answer: unknown, expected: string): AgentError {
  return new AgentError("store-failed", `${method} of the store returned ${showValue(answer)}`, {
    hint: `It must return ${expected}. Check the store with sessionStoreConformance of playhead/harness.`,
  });
}

/** As {@link askStore}, and tries again where that may help. The call before may have been carried out although it failed. */
export async function askAgain<T>(ports: Timer, method: string, call: () => Promise<T> | T): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await askStore(ports, method, call);
    } catch (error) {
      if (tries === STORE_RETRIES || !isLater(error)) throw error;
      await sleep(STORE_RETRY_MS * 2 ** tries, ports);
    }
  }
}

/** True for a failure of a store that the same call may not have later. */
export function isLater(error: unknown): boolean {
  return isThrown(error, AgentError) && error.code === "store-failed" && error.retryable;
}
