// Formats the arguments of a call, with the places that differ from the other side marked.

import { toPointer, type JsonValue } from "../../../core/index.js";
import { html, shown, type Child, type Html } from "../../html/template.js";

/** Deeper places are written on one line. */
const SHOWN_DEPTH = 40;

/** `pointers` are the changed places (RFC 6901). `side` chooses how to mark them. */
export function markedJson(value: JsonValue, pointers: ReadonlySet<string>, side: "old" | "new"): Html {
  const view = (part: JsonValue, path: (string | number)[]): Html => {
    const body = bodyOf(part, path);
    return pointers.has(toPointer(path)) ? html`<mark class="${side}">${body}</mark>` : body;
  };
  const bodyOf = (part: JsonValue, path: (string | number)[]): Html => {
    if (typeof part !== "object" || part === null || path.length >= SHOWN_DEPTH) return shown(JSON.stringify(part));
    const items: Child[] = Array.isArray(part)
      ? part.map((item, index) => view(item, [...path, index]))
      : Object.entries(part).map(([key, item]) => html`${shown(JSON.stringify(key))}: ${view(item, [...path, key])}`);
    const [open, close] = Array.isArray(part) ? ["[", "]"] : ["{", "}"];
    if (items.length === 0) return shown(open + close);
    const [inner, outer] = [lineBreak(path.length + 1), lineBreak(path.length)];
    return html`${open}${items.map((item, index) => [inner, item, index < items.length - 1 && ","])}${outer}${close}`;
  };
  return view(value, []);
}

function lineBreak(depth: number): Html {
  return shown(`\n${"  ".repeat(depth)}`);
}
