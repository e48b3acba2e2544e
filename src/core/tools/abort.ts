// Checks and creates the error of an aborted run.

import { AgentError } from "../errors.js";

export function assertNotAborted(signal: AbortSignal): void {
  if (signal.aborted) throw abortError(signal);
}

export function abortError(signal: AbortSignal): AgentError {
  return new AgentError("aborted", "the run was aborted", { cause: signal.reason });
}
