// The placeholder of a secret: `<redacted:RULE:N>`. Equal secrets of one recording have the same N.

/** N has at most 6 digits. With more, the text is not a placeholder. */
const PLACEHOLDER = /<redacted:([a-z0-9]+(?:-[a-z0-9]+)*):([1-9][0-9]{0,5})>/;
const ALL = new RegExp(PLACEHOLDER.source, "g");
const WHOLE = new RegExp(`^${PLACEHOLDER.source}$`);

/** The start of every placeholder, for a quick test. */
export const PLACEHOLDER_START = "<redacted:";

export interface Placeholder {
  readonly rule: string;
  readonly number: number;
}

export function toPlaceholder({ rule, number }: Placeholder): string {
  return `${PLACEHOLDER_START}${rule}:${number}>`;
}

export function isPlaceholder(text: string, isOurs: (rule: string) => boolean): boolean {
  return text.startsWith(PLACEHOLDER_START) && isOurs(WHOLE.exec(text)?.[1] ?? "");
}

export function placeholdersIn(text: string): Placeholder[] {
  if (!text.includes(PLACEHOLDER_START)) return [];
  return Array.from(text.matchAll(ALL), ([, rule = "", number]) => ({ rule, number: Number(number) }));
}

/** Applies `rewrite` to the text between placeholders. `isOurs` decides whether a rule's placeholder counts. */
export function outsidePlaceholders(
  text: string,
  isOurs: (rule: string) => boolean,
  rewrite: (part: string) => string,
): string {
  if (!text.includes(PLACEHOLDER_START)) return rewrite(text);
  let result = "";
  let end = 0;
  for (const match of text.matchAll(ALL)) {
    if (!isOurs(match[1] ?? "")) continue;
    result += rewrite(text.slice(end, match.index)) + match[0];
    end = match.index + match[0].length;
  }
  return result + rewrite(text.slice(end));
}

/** Overwrites our placeholders with a character that no secret contains. The length stays the same. */
export function withoutPlaceholders(text: string, isOurs: (rule: string) => boolean): string {
  if (!text.includes(PLACEHOLDER_START)) return text;
  return text.replace(ALL, (found, rule: string) => (isOurs(rule) ? "<".repeat(found.length) : found));
}

export function renumber(text: string, renumber: (number: number) => number): string {
  if (!text.includes(PLACEHOLDER_START)) return text;
  return text.replace(ALL, (_, rule: string, number: string) =>
    toPlaceholder({ rule, number: renumber(Number(number)) }),
  );
}

/** Renumbers placeholders by first appearance, so that texts that differ only in those numbers become equal. */
export function neutralNumbers(text: string): string {
  const known = new Map<number, number>();
  return renumber(text, (number) => {
    const own = known.get(number) ?? known.size + 1;
    known.set(number, own);
    return own;
  });
}

/** Maps the numbers in `live` to those in `recorded`. Undefined if anything else differs. Two may map to one: a live tool repeats a value. */
export function alignNumbers(recorded: string, live: string): Map<number, number> | undefined {
  if (bare(recorded) !== bare(live)) return undefined;
  const [theirs, ours] = [placeholdersIn(recorded), placeholdersIn(live)];
  const there = new Map<number, number>();
  for (const [index, { number }] of ours.entries()) {
    const target = theirs[index]?.number ?? 0;
    if ((there.get(number) ?? target) !== target) return undefined;
    there.set(number, target);
  }
  return there;
}

function bare(text: string): string {
  return renumber(text, () => 0);
}
