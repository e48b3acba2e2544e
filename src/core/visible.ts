// Text from outside made harmless for a terminal. A recording may hold escape sequences that clear the screen, set a title or
// reorder what a reviewer reads, and characters that take no room; written through here they are seen and do nothing.

/**
 * Controls, format and direction characters, line and paragraph separators, half surrogate pairs and whatever is drawn as
 * nothing (Unicode categories; UAX #44, Default_Ignorable_Code_Point), and the braille blank. Emoji sequences hold some too.
 */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Default_Ignorable_Code_Point}\u2800]/gu;

/** One line of text with everything a terminal could act on, or would not show, written as an escape. */
export function toVisible(text: string): string {
  return text.replace(INVISIBLE, toEscape);
}

/** {@link toVisible} with each escape handed to `mark`, such as to colour it; characters in `kept` stay as they are. */
export function markInvisible(text: string, mark: (escape: string) => string, kept = ""): string {
  return text.replace(INVISIBLE, (character) => (kept.includes(character) ? character : mark(toEscape(character))));
}

/** {@link toVisible} for text whose line breaks are ours. */
export function toVisibleLines(text: string): string {
  return text.split("\n").map(toVisible).join("\n");
}

/** {@link toVisible} for a JSON text that is laid out over lines: still JSON, with the same value. */
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
