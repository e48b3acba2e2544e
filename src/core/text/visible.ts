// Text from outside made harmless for a terminal. A recording may hold escape sequences that clear the screen, set a title or
// reorder what a reviewer reads, and characters that take no room; written through here they are seen and do nothing. Where
// such a character is how a word or an emoji is spelled, it stays.

/**
 * Controls, format and direction characters, line and paragraph separators, half surrogate pairs and whatever is drawn as
 * nothing (Unicode categories; UAX #44, Default_Ignorable_Code_Point), and the braille blank.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** An emoji, or a character that has such a variant; the digits and the signs of a keycap, flags and skin tones are apart. */
const EMOJI = String.raw`(?![0-9#*\p{Regional_Indicator}\p{Emoji_Modifier}])\p{Emoji}`;

/** Scripts that spell with joiners: Arabic, and those of India and its neighbours (UAX #24, Script_Extensions). */
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
/** Vowel signs, viramas and points; each is seen. */
const MARKS = String.raw`(?:(?=\p{M})(?!\p{Default_Ignorable_Code_Point})${IN_SCRIPT}){0,4}`;

/**
 * An invisible character that is part of the spelling of what stands around it: a variation selector after an emoji or in a
 * keycap, a joiner between two emoji (UTS #51) or between two letters. Looks at a few characters only.
 */
const SPELLED = new RegExp(
  [
    String.raw`(?<=${EMOJI})[\ufe0e\ufe0f]`,
    String.raw`(?<=[0-9#*])\ufe0f(?=\u20e3)`,
    String.raw`(?<=${EMOJI}[\ufe0f\p{Emoji_Modifier}]?)\u200d(?=${EMOJI})`,
    String.raw`(?<=${LETTER}${MARKS})[\u200c\u200d](?=${LETTER})`,
  ].join("|"),
  "uy",
);

/**
 * One line of text with everything a terminal could act on, or would not show, written as an escape. Stays as it is what
 * spells an emoji or a word of a script with joiners, there and nowhere else.
 */
export function toVisible(text: string): string {
  return markInvisible(text, (escape) => escape);
}

/** {@link toVisible} with each escape handed to `mark`, such as to colour it; characters in `kept` stay as they are. */
export function markInvisible(text: string, mark: (escape: string) => string, kept = ""): string {
  return text.replace(INVISIBLE, (character, offset: number) =>
    kept.includes(character) || isSpelled(text, offset) ? character : mark(toEscape(character)),
  );
}

/** {@link toVisible} for text whose line breaks are ours. */
export function toVisibleLines(text: string): string {
  return text.split("\n").map(toVisible).join("\n");
}

/** A JSON text that is laid out over lines with everything invisible escaped: still JSON, with the same value. */
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

function isSpelled(text: string, offset: number): boolean {
  SPELLED.lastIndex = offset;
  return SPELLED.test(text);
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
