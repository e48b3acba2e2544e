// What stands in the place of a secret: `<redacted:RULE:N>`, with the same N for equal secrets of one recording.

/** N has at most this many digits; what has more is text like any other. */
const PLACEHOLDER = /<redacted:([a-z0-9]+(?:-[a-z0-9]+)*):([1-9][0-9]{0,5})>/;
const ALL = new RegExp(PLACEHOLDER.source, "g");
const WHOLE = new RegExp(`^${PLACEHOLDER.source}$`);

/** What every placeholder begins with: a text without it has none. */
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

/** The text between the placeholders of rules that `isOurs` knows through `rewrite`, those as they are. */
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

/** The same text, as long as before, with a character that is in no secret wherever a placeholder of ours is. */
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

/** Numbers by their first appearance, so that two texts that differ in numbers alone become the same. */
export function neutralNumbers(text: string): string {
  const known = new Map<number, number>();
  return renumber(text, (number) => {
    const own = known.get(number) ?? known.size + 1;
    known.set(number, own);
    return own;
  });
}

/** How to renumber `live` so that it reads as `recorded`, if nothing else differs. Two may become one: a live tool repeats a value. */
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
