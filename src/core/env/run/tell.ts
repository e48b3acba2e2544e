// Calls a listener of the host, which cannot change the run.

import type { Ports } from "../../ports.js";
import { thrownText } from "../../text/thrown.js";
import { isThenable } from "../../time/wait.js";

/** An error of the listener becomes a warning. */
export function tell(name: string, call: () => unknown, ports: Pick<Ports, "warn">): void {
  const warn = (error: unknown): void => ports.warn(`playhead: ${name} threw: ${thrownText(error)}`);
  try {
    const told = call();
    // An unhandled rejection would end the process.
    if (isThenable(told)) Promise.resolve(told).catch(warn);
  } catch (error) {
    warn(error);
  }
}
