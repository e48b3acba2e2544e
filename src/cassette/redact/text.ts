// Finds the secrets of one text by rule, by given value and by values learned earlier. Scrubbing a text twice changes nothing more.

import { MAX_HARMLESS, MAX_HARMLESS_LENGTH, MAX_REDACTION_ROUNDS } from "../limits.js";
import { createFinder, joinOverlaps, type Finder, type Found } from "./detect/find.js";
import { createLiterals, type Literals } from "./detect/literals.js";
import type { createNumbers } from "./detect/placeholder-numbers.js";
import { BY_VALUE, RESERVED, type Redaction } from "./options.js";
import { outsidePlaceholders, placeholdersIn, withoutPlaceholders } from "./placeholder.js";
import { KNOWN_RULES, SECRET_RULES, type RedactionRule } from "./detect/secret-rules.js";

/** A shorter value is not looked for elsewhere. */
const MIN_LEARNED_LENGTH = 8;

export interface TextScrubber {
  scrub(text: string): string;
  /** True for a name that a placeholder of ours may have. */
  isOurs(rule: string): boolean;
  /** Counts the texts that are secrets everywhere. The count grows when the context of a text gives away a secret. */
  known(): number;
}

/** Creates a finder for reports. It finds secrets outside placeholders by rule and by value, and replaces nothing. */
export function createSecretFinder({ rules, values }: Pick<Redaction, "rules" | "values">): Finder {
  const find = createFinder(rules);
  const literals = createLiterals(values);
  const isOurs = createIsOurs(rules);
  return (text) => {
    const open = withoutPlaceholders(text, isOurs);
    return joinOverlaps([...find(open), ...findLiterals(open, literals)]);
  };
}

let bySecretRules: Finder | undefined;

/** Finds secrets by `SECRET_RULES`, for reports. The first text compiles them. A replay that shows no text does not wait for that. */
export const findSecrets: Finder = (text) => {
  bySecretRules ??= createSecretFinder({ rules: SECRET_RULES, values: [] });
  return bySecretRules(text);
};

export function createTextScrubber(
  { rules, values }: Pick<Redaction, "rules" | "values">,
  numbers: ReturnType<typeof createNumbers>,
): TextScrubber {
  const find = createFinder(rules);
  const literals = createLiterals(values);
  const isOurs = createIsOurs(rules);

  // A cache of names, keys and other short texts without a secret. A newly learned secret clears it.
  const harmless = new Set<string>();
  let knownThen = literals.size();

  function scrub(text: string): string {
    if (knownThen !== literals.size()) {
      harmless.clear();
      knownThen = literals.size();
    }
    if (harmless.has(text)) return text;
    const result = scrubAll(text);
    if (result === text && text.length <= MAX_HARMLESS_LENGTH && harmless.size < MAX_HARMLESS && !text.includes("<")) {
      harmless.add(text);
    }
    return result;
  }

  function scrubAll(text: string): string {
    for (const { number } of placeholdersIn(text)) numbers.reserve(number);
    let before = text;
    for (let round = 0; round < MAX_REDACTION_ROUNDS; round++) {
      const after = outsidePlaceholders(before, isOurs, scrubPart);
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
      const value = literals.valueOf(text) ?? text;
      result += part.slice(end, each.start) + numbers.placeholderOf(value, each.rules);
      end = each.end;
      if (each.isByContext && value.length >= MIN_LEARNED_LENGTH && !literals.has(value)) {
        literals.add(value, each.rules);
      }
    }
    return result + part.slice(end);
  }

  return {
    scrub,
    isOurs,
    known: () => literals.size(),
  };
}

/** A learned secret keeps the name of the rule that found it. The name `value` means a value given by the caller. */
function findLiterals(text: string, literals: Literals): Found[] {
  return literals.find(text).map((span) => {
    const rules = literals.rulesOf(text.slice(span.start, span.end)) ?? [BY_VALUE];
    return { rule: rules[0] ?? BY_VALUE, rules, isByContext: false, ...span };
  });
}

/** Accepts known rule names only: text in the form of a placeholder could hold a secret in place of the rule's name. */
function createIsOurs(rules: readonly RedactionRule[]): (rule: string) => boolean {
  return (name) => KNOWN_NAMES.has(name) || rules.some(({ id }) => id === name);
}

const KNOWN_NAMES: ReadonlySet<string> = new Set([...KNOWN_RULES.map(({ id }) => id), ...RESERVED]);
