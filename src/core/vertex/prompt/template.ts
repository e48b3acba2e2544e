// Parses prompt templates: `{{ path | filter }}` in authored text. Nothing is evaluated, and inserted text is never parsed again.

import { invalidOptions } from "../../errors.js";
import { MAX_EXPRESSION_CHARACTERS, MAX_TEMPLATE_REFERENCES } from "../../limits.js";

/** One `{{ … }}` of a template, for the host's parser. Lines and columns count from 1. */
export interface TemplateReference {
  /** The first name: `inputs`, `ctx`, `run` or any other that the author wrote. */
  readonly namespace: string;
  /** The steps after the namespace: names, and indexes of lists. */
  readonly path: readonly (string | number)[];
  readonly filters: readonly string[];
  readonly line: number;
  readonly column: number;
}

export interface Filter {
  readonly name: string;
  /** The text of `default("text")`. */
  readonly argument?: string;
}

export interface Reference {
  readonly kind: "reference";
  readonly namespace: string;
  readonly path: readonly (string | number)[];
  readonly filters: readonly Filter[];
  /** The index of its `{{` in the template. */
  readonly at: number;
}

/** A template in order: authored text, and references. */
export type TemplatePart = { readonly kind: "text"; readonly text: string } | Reference;

const FILTERS = ["read_file", "json", "length", "default"];
const NAME = /[A-Za-z_][\w-]*/y;
const INDEX = /\d{1,9}/y;
const TEXT = /"(?:[^"\\]|\\.)*"/y;
const SPACE = /\s*/y;
/** A complete reference that consists of names only. Most do, and matching them at once takes a fifth of the time. */
const PLAIN = /\s*([A-Za-z_][\w-]*)(?:\.([A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*))?\s*\}\}/y;

/** Every reference of a template, in order. Throws `AgentError` `invalid-options` with line and column for an invalid one. */
export function scanTemplate(text: string): TemplateReference[] {
  const placeOf = createPlaces(text);
  return parseTemplate(text).flatMap((part) => (part.kind === "reference" ? [toReference(part, placeOf)] : []));
}

/** A line and a column of a text, from 1. */
interface TextPlace {
  readonly line: number;
  readonly column: number;
}

export function toReference(
  { namespace, path, filters, at }: Reference,
  placeOf: (at: number) => TextPlace,
): TemplateReference {
  return { namespace, path, filters: filters.map(({ name }) => name), ...placeOf(at) };
}

/** The places of increasing indexes, so that a text is read once. */
export function createPlaces(text: string): (at: number) => TextPlace {
  let line = 1;
  let start = 0;
  return (at) => {
    for (let end = text.indexOf("\n", start); end >= 0 && end < at; end = text.indexOf("\n", start)) {
      line++;
      start = end + 1;
    }
    return { line, column: at - start + 1 };
  };
}

/** Throws `AgentError` `invalid-options` with line and column. */
export function parseTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let references = 0;
  let from = 0;
  for (let at = text.indexOf("{{"); at >= 0; at = text.indexOf("{{", from)) {
    if (at > from) parts.push({ kind: "text", text: text.slice(from, at) });
    if (++references > MAX_TEMPLATE_REFERENCES)
      throw templateFlaw(text, at, `the template has more than ${MAX_TEMPLATE_REFERENCES} references`);
    PLAIN.lastIndex = at + 2;
    const found = PLAIN.exec(text);
    if (found !== null && found[0].length <= MAX_EXPRESSION_CHARACTERS) {
      parts.push(toPlainReference(found, at));
      from = PLAIN.lastIndex;
    } else {
      const cursor = new Cursor(text, at + 2);
      parts.push(readPart(cursor, at));
      from = cursor.at;
    }
  }
  if (from < text.length) parts.push({ kind: "text", text: text.slice(from) });
  return parts;
}

/** An error of a template, with its place. It never quotes an inserted value. */
export function templateFlaw(text: string, at: number, what: string, hint?: string) {
  const { line, column } = createPlaces(text)(at);
  const advice =
    hint ?? 'Write {{ inputs.name }}, {{ ctx.key }} or {{ run.outputs["id"] }}, and {{ "{{" }} for two braces.';
  return invalidOptions(`prompt_template, line ${line}, column ${column}: ${what}`, advice);
}

function toPlainReference(found: RegExpExecArray, at: number): Reference {
  const namespace = found[1] as string;
  const names = found[2];
  return { kind: "reference", namespace, path: names === undefined ? [] : splitNames(names), filters: [], at };
}

/** Most references have one name, which needs no `split`. */
function splitNames(names: string): string[] {
  return names.includes(".") ? names.split(".") : [names];
}

function readPart(cursor: Cursor, at: number): TemplatePart {
  cursor.skip();
  const literal = cursor.take(TEXT);
  if (literal !== undefined) {
    cursor.end();
    return { kind: "text", text: unquote(cursor, literal) };
  }
  const { namespace, path } = readPath(cursor);
  const filters: Filter[] = [];
  while (cursor.eat("|")) filters.push(readFilter(cursor));
  cursor.end();
  return { kind: "reference", namespace, path, filters, at };
}

/** The path at the cursor. An incomplete path throws, and `read` holds the part that was read. */
export function readPath(
  cursor: Cursor,
  read: { namespace: string; path: (string | number)[] } = { namespace: "", path: [] },
) {
  read.namespace = cursor.take(NAME) ?? cursor.fail("a name was expected");
  for (;;) {
    if (cursor.eat(".")) {
      cursor.skip();
      read.path.push(cursor.take(NAME) ?? cursor.fail("a name was expected after the dot"));
    } else if (cursor.eat("[")) {
      cursor.skip();
      read.path.push(readStep(cursor));
      if (!cursor.eat("]")) cursor.fail("a ] was expected");
    } else return read;
  }
}

function readStep(cursor: Cursor): string | number {
  const index = cursor.take(INDEX);
  if (index !== undefined) return Number(index);
  return unquote(cursor, cursor.take(TEXT) ?? cursor.fail("a number or a quoted string was expected"));
}

function readFilter(cursor: Cursor): Filter {
  cursor.skip();
  const name = cursor.take(NAME) ?? cursor.fail("the name of a filter was expected");
  if (!FILTERS.includes(name)) cursor.fail(`there is no filter ${name}`);
  if (name !== "default") return { name };
  if (!cursor.eat("(")) cursor.fail('default needs a string: default("text")');
  cursor.skip();
  const argument = unquote(cursor, cursor.take(TEXT) ?? cursor.fail('default needs a string: default("text")'));
  if (!cursor.eat(")")) cursor.fail("a ) was expected");
  return { name, argument };
}

function unquote(cursor: Cursor, quoted: string): string {
  try {
    return (JSON.parse(quoted) as string).toWellFormed();
  } catch {
    return cursor.fail("a string must be written as in JSON");
  }
}

/** A place in a template, within one `{{ … }}`. */
export class Cursor {
  readonly text: string;
  at: number;
  readonly #start: number;

  constructor(text: string, at: number) {
    this.text = text;
    this.at = at;
    this.#start = at - 2;
  }

  /** Returns the match of `pattern` here, and moves past it. */
  take(pattern: RegExp): string | undefined {
    if (this.at - this.#start > MAX_EXPRESSION_CHARACTERS) this.fail("the expression is too long");
    pattern.lastIndex = this.at;
    const [found] = pattern.exec(this.text) ?? [];
    if (found !== undefined) this.at += found.length;
    return found;
  }

  skip(): void {
    this.take(SPACE);
  }

  /** Moves past `sign` and the space before it. */
  eat(sign: string): boolean {
    const before = this.at;
    this.skip();
    if (this.text.startsWith(sign, this.at)) {
      this.at += sign.length;
      return true;
    }
    this.at = before;
    return false;
  }

  end(): void {
    if (!this.eat("}}")) this.fail(this.at >= this.text.length ? "the {{ is not closed" : "}} was expected");
  }

  fail(what: string): never {
    throw templateFlaw(this.text, this.at, what);
  }
}
