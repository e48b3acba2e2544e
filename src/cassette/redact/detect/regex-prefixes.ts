// Derives from the source of a regular expression the prefixes that every match begins with. One pass over a text can look for a
// hundred prefixes. The expressions would be tried one after another at every character. Grammar: ECMA-262 §22.2.1. Syntax that it
// does not understand shortens a prefix, which can only find too much.

/** Longer ones tell no more apart. */
const LONGEST = 4;
/** Shorter ones are everywhere. */
const SHORTEST = 3;
const MOST = 64;

/** A prefix so far. Once closed, anything may follow it. */
interface Beginning {
  text: string;
  isOpen: boolean;
}

const UNKNOWN: readonly Beginning[] = [{ text: "", isOpen: false }];
const NOTHING: readonly Beginning[] = [{ text: "", isOpen: true }];

/** The prefixes of 3 or 4 characters that matches can begin with. Undefined without any, or for more than 64. */
export function literalPrefixes(source: string): string[] | undefined {
  const reader = createReader(source);
  const found = readAlternatives(reader);
  if (found === undefined || !reader.isDone()) return undefined;
  const texts = [...new Set(found.map(({ text }) => text))];
  return texts.every((text) => text.length >= SHORTEST) ? texts : undefined;
}

type Reader = ReturnType<typeof createReader>;

function createReader(source: string) {
  let at = 0;
  return {
    peek: () => source.charAt(at),
    take: () => source.charAt(at++),
    takes(text: string): boolean {
      if (!source.startsWith(text, at)) return false;
      at += text.length;
      return true;
    },
    isDone: () => at >= source.length,
  };
}

/** Reads to the end or to a closing parenthesis. */
function readAlternatives(reader: Reader): Beginning[] | undefined {
  const found: Beginning[] = [];
  do {
    let sequence: readonly Beginning[] = NOTHING;
    while (!reader.isDone() && !"|)".includes(reader.peek())) {
      const next = readRepeated(reader);
      if (next === undefined) return undefined;
      sequence = append(sequence, next);
      if (sequence.length > MOST) return undefined;
    }
    found.push(...sequence);
    if (found.length > MOST) return undefined;
  } while (reader.takes("|"));
  return found;
}

function append(before: readonly Beginning[], next: readonly Beginning[]): Beginning[] {
  return before.flatMap((begun) => {
    if (!begun.isOpen) return [begun];
    return next.map(({ text, isOpen }) => {
      const whole = (begun.text + text).slice(0, LONGEST);
      return { text: whole, isOpen: isOpen && whole.length < LONGEST };
    });
  });
}

/** Reads one part with its quantifier. */
function readRepeated(reader: Reader): readonly Beginning[] | undefined {
  const part = readPart(reader);
  if (part === undefined) return undefined;
  if (reader.takes("?")) {
    reader.takes("?");
    return [...part, ...NOTHING];
  }
  const least = readLeast(reader);
  if (least === "once") return part;
  reader.takes("?");
  switch (least) {
    case "more":
      return part.map(({ text }) => ({ text, isOpen: false }));
    case "none":
      return UNKNOWN;
    case "unclear":
      return undefined;
  }
}

/** Reads a quantifier: none means "once", and "none" means possibly never. A brace without a count is "unclear". */
function readLeast(reader: Reader): "once" | "more" | "none" | "unclear" {
  if (reader.takes("*")) return "none";
  if (reader.takes("+")) return "more";
  if (!reader.takes("{")) return "once";
  let count = "";
  while (!reader.isDone() && !count.endsWith("}")) count += reader.take();
  if (!/^[0-9]+(?:,[0-9]*)?\}$/.test(count)) return "unclear";
  return /^0+[,}]/.test(count) ? "none" : "more";
}

function readPart(reader: Reader): readonly Beginning[] | undefined {
  const char = reader.take();
  switch (char) {
    case "(":
      return readGroup(reader);
    case "[":
      return readClass(reader);
    case "\\":
      // Of letters and digits only some stand for themselves.
      return /[A-Za-z0-9]/.test(reader.peek()) ? (reader.take(), UNKNOWN) : toLiteral(reader.take());
    case ".":
    case "^":
    case "$":
      return UNKNOWN;
    default:
      return toLiteral(char);
  }
}

function toLiteral(text: string): readonly Beginning[] {
  return [{ text, isOpen: true }];
}

function readGroup(reader: Reader): readonly Beginning[] | undefined {
  const isAhead = reader.takes("?=");
  const isOther = ["?!", "?<=", "?<!"].some((kind) => reader.takes(kind));
  if (!isAhead && !isOther && !reader.takes("?:") && reader.peek() === "?") return undefined;
  const inside = readAlternatives(reader);
  if (inside === undefined || !reader.takes(")")) return undefined;
  // A look-ahead continues the match, or tests the text after it.
  if (isAhead) return inside.map(({ text }) => ({ text, isOpen: false }));
  return isOther ? NOTHING : inside;
}

/** Reads a class of a few characters and ranges. Any other class counts as unknown. */
function readClass(reader: Reader): readonly Beginning[] | undefined {
  let body = "";
  for (let char = reader.take(); char !== "]"; char = reader.take()) {
    if (char === "") return undefined;
    body += char === "\\" ? char + reader.take() : char;
  }
  if (!/^(?!\^)(?:[^\\-]-[^\\-]|[^\\])+$/.test(body) || /[^\0-\x7f]/.test(body)) return UNKNOWN;
  const chars = [...body.matchAll(/(.)-(.)|./gs)].flatMap(([one, from, to]) =>
    from === undefined || to === undefined ? [one] : charactersFrom(from, to),
  );
  return chars.length > 16 ? UNKNOWN : chars.flatMap(toLiteral);
}

function charactersFrom(from: string, to: string): string[] {
  const [first, last] = [from.charCodeAt(0), to.charCodeAt(0)];
  return Array.from({ length: Math.min(last - first + 1, 17) }, (_, at) => String.fromCharCode(first + at));
}

/** Creates a test whether a text contains any of the prefixes, each of 3 characters or more. */
export function createPrefixTest(prefixes: readonly string[]): (text: string) => boolean {
  const isBegun = new Uint8Array(PLACES);
  const beginnings = new Map<number, string[]>();
  for (const prefix of prefixes) {
    const place = [0, 1, 2].reduce((before, at) => nextPlace(before, prefix.charCodeAt(at)), 0);
    isBegun[place] = 1;
    beginnings.set(place, [...(beginnings.get(place) ?? []), prefix]);
  }
  return (text) => {
    let place = 0;
    for (let at = 0; at < text.length; at++) {
      place = nextPlace(place, text.charCodeAt(at));
      if (isBegun[place] !== 1) continue;
      const start = at - SHORTEST + 1;
      if (beginnings.get(place)?.some((prefix) => text.startsWith(prefix, start)) === true) return true;
    }
    return false;
  };
}

/** One place per hash of the last three characters (five bits each). Prefixes with the same place are compared in full. */
const PLACES = 1 << 15;

function nextPlace(before: number, char: number): number {
  return ((before << 5) ^ char) & (PLACES - 1);
}
