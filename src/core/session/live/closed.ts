// Why a session takes nothing more, or a turn ends before its time.

import { AgentError } from "../../errors.js";
import { MAX_WAITING_INPUTS } from "../../limits.js";

export type Closed = "killed" | "closed" | "deleting";

export const CLOSED_TEXTS: Readonly<Record<Closed, string>> = {
  killed: "Session killed",
  closed: "Agent closed",
  deleting: "Session delete in progress",
};

export function closedError(why: Closed): AgentError {
  const hint = why === "deleting" ? "Await delete() first." : "Create a new Agent to use the session again.";
  return new AgentError("session-closed", CLOSED_TEXTS[why], { hint, retryable: why === "deleting" });
}

export function full(what: string, key: string): AgentError {
  const message = `${MAX_WAITING_INPUTS} ${what} in session ${JSON.stringify(key)}, which is its limit`;
  return new AgentError("queue-full", message, { hint: "Send again once runs have ended.", retryable: true });
}

export function interrupted(): AgentError {
  return new AgentError("aborted", "the turn was interrupted");
}

export function tooLate(method: string): AgentError {
  return new AgentError("session-closed", `session.${method}() cannot be used after the last step-end`, {
    hint: "Call it in an earlier hook, or use the session's handle for a new turn.",
  });
}
