// Words of a command line that a reader may paste.

import { toVisible } from "../../core/index.js";

/**
 * A word as a POSIX shell reads it, to be pasted behind a command. What a terminal acts on or does not show is written by `printf`,
 * on one line: not every `sh` knows `$'…'`. Line breaks at the very end are lost, as in every `$(…)`.
 */
export function shellText(word: string): string {
  if (/^[\w./:@%+,-][\w./:@%+=,-]*$/.test(word)) return word;
  if (toVisible(word) === word) return `'${quoted(word)}'`;
  // "!" is an interactive shell's own between double quotes, whatever stands within them.
  const written = Array.from(word, (character) =>
    character === "\\" || character === "!" || toVisible(character) !== character ? toOctal(character) : character,
  );
  return `"$(printf %b '${quoted(written.join(""))}')"`;
}

function quoted(text: string): string {
  return text.replaceAll("'", `'\\''`);
}

/** As `%b` of `printf` reads it. */
function toOctal(character: string): string {
  return Array.from(new TextEncoder().encode(character), (byte) => `\\0${byte.toString(8).padStart(3, "0")}`).join("");
}

/** The same for the path of a file, which no command takes for an option. */
export function shellPath(path: string): string {
  return shellText(path.startsWith("-") ? `./${path}` : path);
}
