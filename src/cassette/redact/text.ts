// The secrets of one text: by rule, by value, and by what became known on the way. Scrubbing what was scrubbed changes nothing.

import { createFinder, joinOverlaps, type Finder, type Found } from "./find.js";
import type { createNumbers } from "./numbers.js";
import { BY_VALUE, type Redaction } from "./options.js";
import { outsidePlaceholders, placeholdersIn, withoutPlaceholders } from "./placeholder.js";

/** Everything of a text is seen anew until nothing more is found, at most so often. */
export const MAX_ROUNDS = 8;
/** A shorter value is not looked for elsewhere. */
const MIN_LEARNED_LENGTH = 8;

export interface TextScrubber {
  scrub(text: string): string;
  /** Texts that are secrets wherever they stand; more when one was found by what stands around it. */
  readonly known: number;
}

/** Finds by rule and by value what is no placeholder, for reports: nothing is replaced. */
export function createSecretFinder({ rules, values }: Pick<Redaction, "rules" | "values">): Finder {
  const find = createFinder(rules);
  const literals = new Map<string, string>();
  for (const value of values) addLiteral(literals, value);
  return (text) => {
    const open = withoutPlaceholders(text);
    return joinOverlaps([...find(open), ...findLiterals(open, literals)]);
  };
}

/** `numbers` says what stands in the place of a value. */
export function createTextScrubber(
  { rules, values }: Pick<Redaction, "rules" | "values">,
  numbers: ReturnType<typeof createNumbers>,
): TextScrubber {
  const find = createFinder(rules);
  // From a text to the value it stands for: a value may be written with JSON's escapes.
  const literals = new Map<string, string>();
  for (const value of values) addLiteral(literals, value);

  function scrub(text: string): string {
    for (const { number } of placeholdersIn(text)) numbers.reserve(number);
    let before = text;
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const after = outsidePlaceholders(before, scrubPart);
      if (after === before) break;
      before = after;
    }
    return before;
  }

  function scrubPart(part: string): string {
    const found = find(part);
    const known = findLiterals(part, literals);
    const all = known.length === 0 ? found : joinOverlaps([...found, ...known]);
    if (all.length === 0) return part;
    let result = "";
    let end = 0;
    for (const each of all) {
      const text = part.slice(each.start, each.end);
      const value = literals.get(text) ?? text;
      result += part.slice(end, each.start) + numbers.placeholderOf(value, each.rules);
      end = each.end;
      if (each.isByContext && value.length >= MIN_LEARNED_LENGTH && !literals.has(value)) {
        addLiteral(literals, value);
      }
    }
    return result + part.slice(end);
  }

  return {
    scrub,
    get known() {
      return literals.size;
    },
  };
}

function addLiteral(literals: Map<string, string>, value: string): void {
  literals.set(value, value);
  const escaped = JSON.stringify(value).slice(1, -1);
  if (!literals.has(escaped)) literals.set(escaped, value);
}

function findLiterals(text: string, literals: ReadonlyMap<string, string>): Found[] {
  const found: Found[] = [];
  for (const literal of literals.keys()) {
    for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + literal.length)) {
      found.push({ rule: BY_VALUE, rules: [BY_VALUE], start: at, end: at + literal.length, isByContext: false });
    }
  }
  return found;
}
