// How unlike two calls of one tool are: first by the number of places in their arguments that differ, then by their text.

import type { ComparedCall } from "./call-sets.js";
import type { CallRules } from "../call-equality.js";

/** Characters that are compared at either end of two keys; what they share beyond that decides nothing. */
const MAX_EDGE = 300;

/** More than any text can weigh. */
const PLACE = 2 * MAX_EDGE + 1;

export function unlikeBy(rules: CallRules): (a: ComparedCall, b: ComparedCall) => number {
  return (a, b) => rules.changes(a.call, b.call).length * PLACE - sharedEdges(a.key, b.key);
}

/** Characters that agree from the start and from the end, MAX_EDGE of each. */
function sharedEdges(a: string, b: string): number {
  const limit = Math.min(a.length, b.length);
  const longest = Math.min(limit, MAX_EDGE);
  let start = 0;
  while (start < longest && a[start] === b[start]) start++;
  const rest = Math.min(limit - start, MAX_EDGE);
  let end = 0;
  while (end < rest && a[a.length - 1 - end] === b[b.length - 1 - end]) end++;
  return start + end;
}
