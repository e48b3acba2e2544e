// The texts in a call's arguments, for patterns to match.

import { isPlainObject, MAX_ARGUMENT_VALUES } from "../../core/index.js";

/**
 * All texts (names too, since `propertyNames` looks at those) and the names alone: each once, the shortest first. Values beyond the
 * limit of a check are left out, and such a call is not checked.
 */
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
