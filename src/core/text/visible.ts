// The one definition of an invisible character, and how it is shown. A recording may hold escape sequences that clear the screen or
// reorder what a reviewer reads. Every output writes such characters as escapes, except where they spell a word or an emoji.

/** Controls, format and direction characters, separators, lone surrogates, what is drawn as nothing (UAX #44), and the braille blank. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** An emoji, or a character with an emoji variant. Excludes keycap digits and signs, flags and skin tones. */
const EMOJI = String.raw`(?![0-9#*\p{Regional_Indicator}\p{Emoji_Modifier}])\p{Emoji}`;

/** Scripts that spell with joiners: Arabic and the Brahmic scripts (UAX #24, Script_Extensions). */
const SCRIPTS = [
  "Arab",
  "Beng",
  "Deva",
  "Gujr",
  "Guru",
  "Khmr",
  "Knda",
  "Mlym",
  "Mymr",
  "Orya",
  "Sinh",
  "Taml",
  "Telu",
];
const IN_SCRIPT = `[${SCRIPTS.map((script) => String.raw`\p{scx=${script}}`).join("")}]`;
const LETTER = String.raw`(?=\p{L})${IN_SCRIPT}`;
/** Vowel signs, viramas and points, all of them visible. */
const MARKS = String.raw`(?:(?=\p{M})(?!\p{Default_Ignorable_Code_Point})${IN_SCRIPT}){0,4}`;

let spelled: RegExp | undefined;

/**
 * Matches an invisible character that spells: a variation selector of an emoji or keycap, a joiner between two emoji (UTS #51) or
 * letters. Made at its first use, because that takes 2 ms and few texts need it.
 */
function getSpelled(): RegExp {
  return (spelled ??= new RegExp(
    [
      String.raw`(?<=${EMOJI})[\ufe0e\ufe0f]`,
      String.raw`(?<=[0-9#*])\ufe0f(?=\u20e3)`,
      String.raw`(?<=${EMOJI}[\ufe0f\p{Emoji_Modifier}]?)\u200d(?=${EMOJI})`,
      String.raw`(?<=${LETTER}${MARKS})[\u200c\u200d](?=${LETTER})`,
    ].join("|"),
    "uy",
  ));
}

/** One line of text in which every character that a terminal acts on, or does not show, is an escape such as `\u200b`. */
export function toVisible(text: string): string {
  return markInvisible(text, (escape) => escape);
}

/** {@link toVisible}, with each escape passed through `mark` (for example, to colour it). Characters in `kept` stay as they are. */
export function markInvisible(text: string, mark: (escape: string) => string, kept = ""): string {
  return text.replace(INVISIBLE, (character, offset: number) =>
    kept.includes(character) || isSpelled(text, offset) ? character : mark(toEscape(character)),
  );
}

/** {@link toVisible} for text whose line breaks, or other characters in `kept`, are our own. */
export function toVisibleLines(text: string, kept = "\n"): string {
  return markInvisible(text, (escape) => escape, kept);
}

/** Laid-out JSON with invisible characters escaped: still JSON, with the same value. */
export function toVisibleJson(text: string): string {
  return text.replace(INVISIBLE, (character) =>
    character === "\n"
      ? character
      : character
          .split("")
          .map((unit) => toUnit(unit.charCodeAt(0)))
          .join(""),
  );
}

/** Whether one character (a code point) is invisible wherever it stands. */
export function isInvisible(character: string): boolean {
  return character.search(INVISIBLE) >= 0;
}

function isSpelled(text: string, offset: number): boolean {
  const pattern = getSpelled();
  pattern.lastIndex = offset;
  return pattern.test(text);
}

function toEscape(character: string): string {
  if (character === "\n") return "\\n";
  if (character === "\r") return "\\r";
  if (character === "\t") return "\\t";
  const point = character.codePointAt(0) ?? 0;
  return point > 0xffff ? `\\u{${point.toString(16)}}` : toUnit(point);
}

function toUnit(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, "0")}`;
}
