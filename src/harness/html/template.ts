// A tagged template for HTML that escapes every value (WHATWG HTML §13.3). Only the literal parts are markup. A value may be text,
// a quoted attribute, or a whole address within the page, of its query or next to it. Any other position throws while the page is built, so a mistake in our
// code cannot become an injection.

import { markInvisible, toVisible } from "../../core/index.js";

/** Complete, safe markup. Only `html`, `shown` and `trusted` create it. */
export class Html {
  readonly #text: string;
  constructor(text: string) {
    this.#text = text;
  }
  toString(): string {
    return this.#text;
  }
}

/** A value in a template: text to escape, markup, a list of both, or nothing. */
export type Child = Html | string | number | false | undefined | readonly Child[];

/** Builds markup. Values are escaped, and their control and direction characters made visible. */
export function html(literals: TemplateStringsArray, ...values: readonly Child[]): Html {
  const slots = slotsOf(literals);
  let text = literals[0] ?? "";
  values.forEach((value, index) => {
    text += fill(slots[index] ?? "text", value) + (literals[index + 1] ?? "");
  });
  return new Html(text);
}

/** Recorded text of several lines. Line breaks and tabs stay. Other invisible characters are marked. */
export function shown(text: string): Html {
  return new Html(mark(text.replaceAll("\r\n", "\n"), "\n\t"));
}

/** Wraps our own constant markup, style or script. Never use it for recorded text. */
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
    // A value never becomes markup, so a letter can represent it.
    before += "v";
  }
  known.set(literals, slots);
  return slots;
}

/** The slot of a value that follows this part of a template. */
function slotAfter(before: string): Slot {
  const isInTag = before.lastIndexOf("<") > before.lastIndexOf(">");
  // A title holds only text: markup in it would be shown literally (RCDATA).
  if (!isInTag) return before.endsWith("<title>") ? "attribute" : "text";
  const name = /\s([a-z-]+)="[^"]*$/.exec(before)?.[1];
  if (name === undefined) throw new TypeError(`a value in a tag must be in a quoted attribute: ${before.slice(-40)}`);
  if (name.startsWith("on") || name === "style" || name === "srcset") {
    throw new TypeError(`the attribute ${name} must not contain a value`);
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
  throw new TypeError("an attribute value must be text or a number");
}

function isList(value: Child): value is readonly Child[] {
  return Array.isArray(value);
}

/**
 * A fragment in this page, another query of this page's own address, a page next to this one, or an image type without scripts, whose
 * whole base64 is checked. None of them can name a scheme or a host.
 */
const ADDRESS =
  /^(?:#[A-Za-z][\w-]*|\?[\w%&=.~*-]*(?:#[A-Za-z][\w-]*)?|\.\/[\w%.~*-]+\.html|data:image\/(?:png|jpeg|gif|webp);base64,[A-Za-z0-9+/]+={0,2})$/;

function toAddress(text: string): string {
  if (ADDRESS.test(text)) return text;
  throw new TypeError(
    `an address must be a fragment in the page, a query, a page next to it or an image, not ${JSON.stringify(text.slice(0, 40))}`,
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
