// `shape`: fills a template from data. `{{name}}` and `{{a.b.0}}` are replaced by the value at that path: text unchanged, anything else as
// JSON. There is no logic and no escaping, and only the data's own keys are read.

import type { JsonObject } from "../../core/index.js";
import { MAX_FILLED_CHARACTERS } from "../limits.js";
import { VerbError } from "./error.js";

/** Throws `VerbError` `argument` for a path that the data does not have. */
export function shape({ template, data = {} }: { template: string; data?: JsonObject }): string {
  const parts: string[] = [];
  let size = 0;
  let at = 0;
  const push = (text: string) => {
    size += text.length;
    if (size > MAX_FILLED_CHARACTERS)
      throw new VerbError("too-large", `the filled template has more than ${MAX_FILLED_CHARACTERS} characters`);
    parts.push(text);
  };
  for (;;) {
    const open = template.indexOf("{{", at);
    if (open === -1) break;
    const close = template.indexOf("}}", open);
    if (close === -1)
      throw new VerbError("argument", `the template opens {{ at character ${open} and does not close it`);
    push(template.slice(at, open));
    push(textAt(data, template.slice(open + 2, close).trim()));
    at = close + 2;
  }
  push(template.slice(at));
  return parts.join("");
}

function textAt(data: JsonObject, path: string): string {
  if (!/^[^\s{}.]+(\.[^\s{}.]+)*$/.test(path)) {
    throw new VerbError("argument", `{{${path.slice(0, 100)}}} must be a path such as {{name}} or {{order.items.0}}`);
  }
  let value: unknown = data;
  for (const key of path.split(".")) {
    if (!hasItem(value, key)) throw new VerbError("argument", `the data has nothing at ${path.slice(0, 100)}`);
    value = (value as Record<string, unknown>)[key];
  }
  return typeof value === "string" ? value : (JSON.stringify(value) ?? "");
}

/** A list has its items, and not its length. */
function hasItem(value: unknown, key: string): boolean {
  if (typeof value !== "object" || value === null) return false;
  return Object.hasOwn(value, key) && !(Array.isArray(value) && key === "length");
}
