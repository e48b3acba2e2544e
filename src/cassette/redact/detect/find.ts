// Locates the secrets in a text. It first searches for prefixes of secrets, then tests one combined expression, and only then runs
// each rule. A text without any prefix costs one pass. A text with escapes is searched twice: with and without them.

import { withoutEscapes } from "./escapes.js";
import { createPrefixTest, literalPrefixes } from "./regex-prefixes.js";
import type { RedactionRule } from "./secret-rules.js";

/** A secret in a text, from `start` to before `end`. */
export interface Found {
  readonly rule: string;
  /** Every rule that found a part of it, including `rule`. */
  readonly rules: readonly string[];
  readonly start: number;
  readonly end: number;
  /** True if a rule recognised it by its context. The rule would miss the same text elsewhere. */
  readonly isByContext: boolean;
}

/** A refused match of at most this length is searched again from its second character. */
const LONGEST_RETRIED = 64;

/** Finds the secrets in a text, in order and without overlaps. */
export type Finder = (text: string) => Found[];

/** Finders of frozen lists, such as `SECRET_RULES`. Compiling those takes as long as recording a dozen turns (measured). */
const compiled = new WeakMap<readonly RedactionRule[], Finder>();

/** Throws `SyntaxError` for an invalid pattern. */
export function createFinder(rules: readonly RedactionRule[]): Finder {
  const known = compiled.get(rules);
  if (known !== undefined) return known;
  const finder = compile(rules);
  if (Object.isFrozen(rules) && rules.every((rule) => Object.isFrozen(rule))) compiled.set(rules, finder);
  return finder;
}

function compile(rules: readonly RedactionRule[]): Finder {
  if (rules.length === 0) return () => [];
  const quick = toAnyOf(rules);
  const known = rules.map((rule) => ({ rule, prefixes: literalPrefixes(rule.near) }));
  const hasPrefix = createPrefixTest(known.flatMap(({ prefixes }) => prefixes ?? []));
  // Rules without a known prefix.
  const others = known.flatMap(({ rule, prefixes }) => (prefixes === undefined ? [rule] : []));
  const another = others.length === 0 ? undefined : toAnyOf(others);
  const expressions = rules.map(({ id, near, pattern, check }) => ({
    id,
    near: new RegExp(near),
    expression: new RegExp(pattern, "dg"),
    check,
  }));
  const findIn = (text: string): Found[] => {
    if (!(hasPrefix(text) ? quick.test(text) : another?.test(text) === true)) return [];
    const found: Found[] = [];
    const endOfWord = createWordEnds(text);
    for (const { id, near, expression, check } of expressions) {
      if (!near.test(text)) continue;
      expression.lastIndex = 0;
      for (let match = expression.exec(text); match !== null; match = expression.exec(text)) {
        const [start, end] = match.indices?.groups?.["secret"] ?? [match.index, match.index + match[0].length];
        if (start === end || check?.(text.slice(start, end)) === false) {
          // A rejected match may overlap a secret: "2024 4111 1111 …". Long ones are skipped, so that time stays linear.
          if (match[0].length <= LONGEST_RETRIED) expression.lastIndex = match.index + 1;
          continue;
        }
        found.push({ rule: id, rules: [id], start, end: endOfWord(end), isByContext: start > match.index });
      }
    }
    return found;
  };
  return (text) => {
    const plain = withoutEscapes(text);
    return joinOverlaps(plain === text ? findIn(text) : [...findIn(text), ...findIn(plain)]);
  };
}

function toAnyOf(rules: readonly RedactionRule[]): RegExp {
  return new RegExp(rules.map(({ near }) => `(?:${near})`).join("|"));
}

/** Extends a match to the end of its word, for tokens longer than any known one. Walks each word once. */
function createWordEnds(text: string): (from: number) => number {
  let [known, end] = [0, -1];
  return (from) => {
    if (from >= known && from <= end) return end;
    known = end = from;
    while (end < text.length && /[A-Za-z0-9_]/.test(text.charAt(end))) end++;
    return end;
  };
}

/** Replaces each secret with `mark(rule)`. `found` is the result of a finder for this text. */
export function replaceSecrets(text: string, found: readonly Found[], mark: (rule: string) => string): string {
  let [replaced, from] = ["", 0];
  for (const { rule, start, end } of found) {
    replaced += text.slice(from, start) + mark(rule);
    from = end;
  }
  return replaced + text.slice(from);
}

/** Merges overlapping secrets. The first one names the result, and on a tie the rule listed first. */
export function joinOverlaps(found: readonly Found[]): Found[] {
  const joined: Found[] = [];
  for (const next of [...found].sort((a, b) => a.start - b.start)) {
    const last = joined.at(-1);
    if (last === undefined || next.start >= last.end) joined.push(next);
    else {
      const end = Math.max(last.end, next.end);
      joined[joined.length - 1] = { ...last, rules: [...new Set([...last.rules, ...next.rules])], end };
    }
  }
  return joined;
}
