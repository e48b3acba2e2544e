// The error of all doubles for a value that they cannot use.

import { showValue } from "../../core/index.js";
import { HarnessError } from "../errors.js";

export function refuseValue(what: string, value: unknown, hint: string): never {
  throw new HarnessError("double-unclear", `${what} is ${showValue(value)}`, hint);
}
