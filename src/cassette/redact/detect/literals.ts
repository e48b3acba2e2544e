// Texts that are secrets everywhere: the given values, and secrets learned from their context. A hostile text can add tens of
// thousands, so a large set is indexed by prefix, and a search takes one pass over the text.

export interface Span {
  readonly start: number;
  readonly end: number;
}

/** No literal is shorter. */
const PREFIX = 4;
/** So few are each looked for on their own, which is faster. */
const MOST_SINGLE = 32;

export interface Literals {
  /** Counts the spellings. */
  size(): number;
  has(text: string): boolean;
  /** Adds a value and its JSON spellings. `rules` are the rules that found it, undefined for a given value. */
  add(value: string, rules?: readonly string[]): void;
  /** The value that a text spells. */
  valueOf(text: string): string | undefined;
  /** The rules that found the value of a text. Undefined for a given value and for any other text. */
  rulesOf(text: string): readonly string[] | undefined;
  /** Finds every occurrence. In a large set, only the longest of those that start at one place. */
  find(text: string): Span[];
}

export function createLiterals(values: readonly string[] = []): Literals {
  const known = new Map<string, { value: string; rules: readonly string[] | undefined }>();
  // Keyed by prefix, then by length with the longest first.
  const index = new Map<string, Map<number, Set<string>>>();

  function addOne(text: string, value: string, rules: readonly string[] | undefined): void {
    if (known.has(text) || text.length < PREFIX) return;
    known.set(text, { value, rules });
    const prefix = text.slice(0, PREFIX);
    const lengths = index.get(prefix) ?? new Map<number, Set<string>>();
    const isNew = !lengths.has(text.length);
    lengths.set(text.length, (lengths.get(text.length) ?? new Set()).add(text));
    index.set(prefix, isNew ? new Map([...lengths].sort(([one], [other]) => other - one)) : lengths);
  }

  function longestAt(text: string, start: number): number | undefined {
    const lengths = index.get(text.slice(start, start + PREFIX));
    for (const [length, texts] of lengths ?? []) {
      if (start + length <= text.length && texts.has(text.slice(start, start + length))) return start + length;
    }
    return undefined;
  }

  function findMany(text: string): Span[] {
    const found: Span[] = [];
    for (let start = 0; start + PREFIX <= text.length; start++) {
      const end = longestAt(text, start);
      if (end !== undefined) found.push({ start, end });
    }
    return found;
  }

  function findFew(text: string): Span[] {
    const found: Span[] = [];
    for (const literal of known.keys()) {
      for (let start = text.indexOf(literal); start >= 0; start = text.indexOf(literal, start + 1)) {
        found.push({ start, end: start + literal.length });
      }
    }
    return found;
  }

  const literals: Literals = {
    size: () => known.size,
    has: (text) => known.has(text),
    add(value, rules) {
      for (const text of spellingsOf(value)) addOne(text, value, rules);
    },
    valueOf: (text) => known.get(text)?.value,
    rulesOf: (text) => known.get(text)?.rules,
    find: (text) => (known.size > MOST_SINGLE ? findMany(text) : findFew(text)),
  };
  for (const value of values) literals.add(value);
  return literals;
}

/** The value itself, its JSON forms in JavaScript, Python, PHP and Go, JSON in JSON, and its forms in a URL. */
function spellingsOf(value: string): string[] {
  const once = escape(value);
  const ascii = once.replace(/[^\x20-\x7e]/g, toUnicodeEscape);
  const upper = once.replace(/[^\x20-\x7e]/g, (unit) => `\\u${toUnicodeEscape(unit).slice(2).toUpperCase()}`);
  const json = [...new Set([once, ascii, upper])];
  const slashed = json.map((text) => text.replaceAll("/", "\\/"));
  const forPages = json.map((text) => text.replace(/[<>&]/g, toUnicodeEscape));
  return [value, ...json, escape(once), ...slashed, ...forPages, ...urlForms(value)];
}

/** Percent-encoded by JavaScript, by RFC 3986 as Python and PHP do, and as a form, with digits in either case. */
function urlForms(value: string): string[] {
  if (!value.isWellFormed()) return [];
  const short = encodeURIComponent(value);
  const strict = short.replace(/[!'()*]/g, toPercent);
  const paths = [short, strict].flatMap((text) => [text, text.replaceAll("%2F", "/")]);
  const forms = paths.flatMap((text) => [text, text.replaceAll("%20", "+")]);
  const form = new URLSearchParams([["", value]]).toString().slice(1);
  return [...forms, form].flatMap((text) => [text, text.replace(/%[0-9A-F]{2}/g, (code) => code.toLowerCase())]);
}

function toPercent(character: string): string {
  return `%${character.charCodeAt(0).toString(16).toUpperCase()}`;
}

function toUnicodeEscape(unit: string): string {
  return `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`;
}

function escape(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}
