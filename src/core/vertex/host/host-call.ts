// Calls of the host's own functions. Any error that they throw counts as a fault of the host.

import { AgentError } from "../../errors.js";
import { quoteForeign } from "../../text/mask.js";
import { thrownText } from "../../text/thrown.js";
import type { Maybe } from "../../time/wait.js";

/** The result of the host's function `name`. Rejects with `AgentError` `capability-missing` if it throws. */
export async function hostCall<T>(name: string, call: () => Maybe<T>): Promise<T> {
  try {
    return await call();
  } catch (error) {
    throw hostFault(name, error);
  }
}

export function hostFault(name: string, error: unknown): AgentError {
  return new AgentError("capability-missing", `${name} of the host failed: ${quoteForeign(thrownText(error))}`, {
    cause: error,
  });
}
