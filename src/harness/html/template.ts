// HTML as a tagged template that escapes whatever is put into it (WHATWG HTML §13.3). Only the literal parts are markup. A value
// may stand in text, in a quoted attribute, or as a whole address that leads nowhere outside the page; anything else throws
// while the page is built, so that a mistake here cannot become a hole in the page.

import { markInvisible, toVisible } from "../../core/index.js";

/** Markup that is whole and safe. Made by `html`, `shown` and `trusted` alone. */
export class Html {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  toString(): string {
    return this.#text;
  }
}

/** What a template takes: text to be escaped, markup, lists of both, or nothing. */
export type Child = Html | string | number | false | undefined | readonly Child[];

/** Markup with its values escaped, control and direction characters among them made visible. */
export function html(literals: TemplateStringsArray, ...values: readonly Child[]): Html {
  const slots = slotsOf(literals);
  let text = literals[0] ?? "";
  values.forEach((value, index) => {
    text += fill(slots[index] ?? "text", value) + (literals[index + 1] ?? "");
  });
  return new Html(text);
}

/** Recorded text of several lines: its line breaks and tabs stay, whatever else cannot be seen is marked. */
export function shown(text: string): Html {
  return new Html(mark(text.replaceAll("\r\n", "\n"), "\n\t"));
}

/** A constant of ours that is markup, style or script already. Never for anything that was recorded. */
export function trusted(text: string): Html {
  return new Html(text);
}

type Slot = "text" | "attribute" | "address";

const known = new WeakMap<TemplateStringsArray, readonly Slot[]>();

function slotsOf(literals: TemplateStringsArray): readonly Slot[] {
  const found = known.get(literals);
  if (found !== undefined) return found;
  const slots: Slot[] = [];
  let before = "";
  for (const literal of literals.slice(0, -1)) {
    before += literal;
    slots.push(slotAfter(before));
    // What a value becomes is never markup, so a letter may stand for it.
    before += "v";
  }
  known.set(literals, slots);
  return slots;
}

/** Where a value would stand after this much of a template. */
function slotAfter(before: string): Slot {
  const isInTag = before.lastIndexOf("<") > before.lastIndexOf(">");
  // A title holds text alone: markup in it would be shown as it is written (RCDATA).
  if (!isInTag) return before.endsWith("<title>") ? "attribute" : "text";
  const name = /\s([a-z-]+)="[^"]*$/.exec(before)?.[1];
  if (name === undefined) throw new TypeError(`a value may stand in a quoted attribute only: ${before.slice(-40)}`);
  if (name.startsWith("on") || name === "style" || name === "srcset") {
    throw new TypeError(`a value may not stand in ${name}`);
  }
  return ["href", "src"].includes(name) ? "address" : "attribute";
}

function fill(slot: Slot, value: Child): string {
  if (value === undefined || value === false) return "";
  switch (slot) {
    case "text":
      return toMarkup(value);
    case "attribute":
      return escape(toVisible(toPlain(value)));
    case "address":
      return toAddress(toPlain(value));
  }
}

function toMarkup(value: Child): string {
  if (value instanceof Html) return value.toString();
  if (isList(value)) return value.map(toMarkup).join("");
  if (value === undefined || value === false) return "";
  return mark(String(value), "");
}

function toPlain(value: Child): string {
  if (typeof value === "string" || typeof value === "number") return String(value);
  throw new TypeError("an attribute takes text alone");
}

function isList(value: Child): value is readonly Child[] {
  return Array.isArray(value);
}

/** A place in this page, or an image of a kind that holds no script; its base64 is checked to the last letter. */
const ADDRESS = /^(?:#[A-Za-z][\w-]*|data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2})$/;

function toAddress(text: string): string {
  if (ADDRESS.test(text)) return text;
  throw new TypeError(
    `an address leads to a place in the page or is an image, not ${JSON.stringify(text.slice(0, 40))}`,
  );
}

function mark(text: string, kept: string): string {
  return markInvisible(escape(text), (sign) => `<span class="sign">${sign}</span>`, kept);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function escape(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? "");
}
