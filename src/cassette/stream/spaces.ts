// The white space that a model wrote in the JSON of a call's arguments. A cassette stores only the value. With this, a replay streams the
// exact text. `7s` means a space after seven more characters of the dense JSON. The letters n, r and t are the other white space.

import { hasMoreWords } from "./format.js";

const LETTERS: Readonly<Record<string, string>> = { " ": "s", "\n": "n", "\r": "r", "\t": "t" };
const SPACES: Readonly<Record<string, string>> = { s: " ", n: "\n", r: "\r", t: "\t" };

/** Encodes the white space that turns `dense` into `written`. "" if they are equal, undefined if anything else differs. */
export function spacesOf(written: string, dense: string): string | undefined {
  if (written === dense) return "";
  const runs: string[] = [];
  let [at, since, isText, letters] = [0, 0, false, ""];
  for (let place = 0; place < written.length; place++) {
    const unit = written[place] ?? "";
    const letter = isText ? undefined : LETTERS[unit];
    if (letter !== undefined) {
      letters += letter;
      continue;
    }
    if (unit !== dense[at]) return undefined;
    if (letters !== "") {
      runs.push(`${since}${letters}`);
      [since, letters] = [0, ""];
    }
    if (unit === '"' && !(isText && isEscaped(dense, at))) isText = !isText;
    at++;
    since++;
  }
  if (letters !== "") runs.push(`${since}${letters}`);
  return at === dense.length ? runs.join(" ") : undefined;
}

/** True after an odd number of backslashes. */
function isEscaped(text: string, place: number): boolean {
  let start = place;
  while (text[start - 1] === "\\") start--;
  return (place - start) % 2 === 1;
}

/** Inserts the white space into `dense`. Undefined if `spaces` is malformed or does not fit. */
export function withSpaces(dense: string, spaces: string): string | undefined {
  if (spaces === "") return dense;
  if (hasMoreWords(spaces, dense.length + 1)) return undefined;
  const parts: string[] = [];
  let at = 0;
  for (const run of spaces.split(" ")) {
    const [, distance, letters] = /^(0|[1-9][0-9]{0,14})([snrt]+)$/.exec(run) ?? [];
    if (distance === undefined || letters === undefined) return undefined;
    const next = at + Number(distance);
    if (next > dense.length) return undefined;
    parts.push(
      dense.slice(at, next),
      letters.replace(/./g, (letter) => SPACES[letter] ?? ""),
    );
    at = next;
  }
  return parts.join("") + dense.slice(at);
}
