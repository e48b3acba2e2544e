// The texts in a call's arguments, for patterns to match.

import { isPlainObject, MAX_ARGUMENT_VALUES } from "../../core/index.js";

/** All texts (names too, for `propertyNames`) and the names alone, shortest first. A call with a text beyond the limit is not checked. */
export function textsIn(args: unknown): { texts: string[]; names: string[] } {
  const [texts, names] = [new Set<string>(), new Set<string>()];
  const open: unknown[] = [args];
  for (let seen = 0; open.length > 0 && seen <= MAX_ARGUMENT_VALUES; seen++) {
    const value = open.pop();
    if (typeof value === "string") texts.add(value);
    if (Array.isArray(value)) {
      for (const item of value.slice(0, MAX_ARGUMENT_VALUES)) open.push(item);
    } else if (isPlainObject(value)) {
      for (const [key, inner] of Object.entries(value)) {
        names.add(key);
        texts.add(key);
        open.push(inner);
      }
    }
  }
  const inOrder = (all: Set<string>): string[] => [...all].sort((a, b) => a.length - b.length || (a < b ? -1 : 1));
  return { texts: inOrder(texts), names: inOrder(names) };
}
