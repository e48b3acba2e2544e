// The name of a tool or a setting inside a sentence.

import { showValue } from "../../core/index.js";

/** A name of ordinary characters as it is, any other one in quotes. */
export function nameText(name: string): string {
  return /^[\w.:/-]{1,80}$/.test(name) ? name : showValue(name);
}
