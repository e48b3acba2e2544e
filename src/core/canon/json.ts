// Canonical JSON text (RFC 8785, JCS) behind a strict door: what is not plain JSON is refused, never converted, because
// the text is hashed. Keys are sorted by UTF-16 code units (§3.2.3), numbers print as ECMAScript does (§3.2.2.3), strings
// by JSON.stringify, whose escapes are the ones §3.2.2.2 asks for.

import { assertPlainObject, enter, refuse, type NotJsonReason, type Path } from "./value.js";

/** The RFC 8785 text of `value`. Throws {@link NotJsonError} for anything that is not plain JSON. */
export function canonicalize(value: unknown): string {
  return write(value, []);
}

function write(value: unknown, path: Path): string {
  switch (typeof value) {
    case "string":
      return writeString(value, path);
    case "number":
      if (!Number.isFinite(value)) refuse("number", path);
      return String(value);
    case "boolean":
      return value ? "true" : "false";
    case "object":
      if (value === null) return "null";
      enter(value, path);
      return Array.isArray(value) ? writeArray(value, path) : writeObject(value as Record<string, unknown>, path);
    default:
      return refuse(typeof value as NotJsonReason, path);
  }
}

function writeString(text: string, path: Path): string {
  if (!text.isWellFormed()) refuse("surrogate", path);
  return JSON.stringify(text);
}

function writeArray(list: readonly unknown[], path: Path): string {
  let text = "[";
  const step = { container: list, key: 0 as string | number };
  path.push(step);
  for (let index = 0; index < list.length; index++) {
    step.key = index;
    const item = list[index];
    if (item === undefined) refuse(index in list ? "undefined" : "hole", path);
    text += index === 0 ? write(item, path) : "," + write(item, path);
  }
  path.pop();
  return text + "]";
}

function writeObject(object: Record<string, unknown>, path: Path): string {
  assertPlainObject(object, path);
  let text = "{";
  const step = { container: object, key: "" as string | number };
  path.push(step);
  for (const key of Object.keys(object).sort()) {
    step.key = key;
    const entry = writeString(key, path) + ":" + write(object[key], path);
    text += text === "{" ? entry : "," + entry;
  }
  path.pop();
  return text + "}";
}
