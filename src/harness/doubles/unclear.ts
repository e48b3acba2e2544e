// The error of all doubles for a value that they cannot work with.

import { showValue } from "../../core/index.js";
import { HarnessError } from "../errors.js";

/** Throws `HarnessError` `double-unclear`: `what` is `value`, and `hint` says what to give instead. */
export function refuseValue(what: string, value: unknown, hint: string): never {
  throw new HarnessError("double-unclear", `${what} is ${showValue(value)}`, hint);
}
