// RFC 8785 text and hashes for values known to be plain JSON: no check, no limit. The floor of everything that hashes.

import { createHash } from "node:crypto";

export function canonical(value) {
  if (typeof value !== "object" || value === null) return JSON.stringify(value);
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

export function sha256(text) {
  return createHash("sha256").update(text).digest("hex");
}

/** The hash of each prompt of one conversation that only grows. Text that was absorbed is not read again. */
export function growingHash() {
  const state = createHash("sha256").update("[");
  let absorbed = 0;
  return (messages) => {
    for (; absorbed < messages.length; absorbed++) {
      state.update((absorbed === 0 ? "" : ",") + canonical(messages[absorbed]));
    }
    return state.copy().update("]").digest("hex");
  };
}

/** The same without a memory: reads the whole conversation each time. */
export function naiveHash() {
  return (messages) => sha256(canonical(messages));
}
