// Two values cut around the place where they differ, and the lines that show them. Messages are printed in logs, so secrets of a live prompt are hidden.

import { toVisible, type JsonValue } from "../../core/index.js";
import { findSecrets } from "../redact/text.js";

/** Characters kept on either side of the place where two values part. */
const WINDOW = 60;
/** Characters around the excerpt that are searched for secrets with it. Only a private key is longer. */
const SURROUNDINGS = 4_096;

/** Returns two values as JSON text, cut around the first different character. */
export function cutAround(
  a: JsonValue | undefined,
  b: JsonValue | undefined,
): [string | undefined, string | undefined] {
  const [left, right] = [a, b].map((value) => (value === undefined ? undefined : JSON.stringify(value)));
  let at = 0;
  if (left !== undefined && right !== undefined) {
    while (at < left.length && at < right.length && left[at] === right[at]) at++;
  }
  return [excerpt(left, at), excerpt(right, at)];
}

function excerpt(text: string | undefined, at: number): string | undefined {
  if (text === undefined) return undefined;
  const start = Math.max(0, at - WINDOW);
  const end = at + WINDOW;
  const shown = hideSecrets(text, start, end).toWellFormed();
  return `${start > 0 ? "…" : ""}${toVisible(shown)}${end < text.length ? "…" : ""}`;
}

/** Returns the part from `start` to `end`, with an asterisk for every character of a secret. */
function hideSecrets(text: string, start: number, end: number): string {
  const from = Math.max(0, start - SURROUNDINGS);
  const around = text.slice(from, end + SURROUNDINGS);
  let hidden = around;
  for (const secret of findSecrets(around)) {
    const stars = "*".repeat(secret.end - secret.start);
    hidden = hidden.slice(0, secret.start) + stars + hidden.slice(secret.end);
  }
  return hidden.slice(start - from, end - from);
}

/** A difference as `cutAround` leaves it. */
interface Difference {
  readonly pointer?: string;
  readonly recorded?: string;
  readonly actual?: string;
}

/** The lines of a message that show where two values differ, and how. */
export function differenceLines({ pointer, recorded, actual }: Difference): string[] {
  const at = pointer === undefined ? [] : [`  at       ${pointer === "" ? "(the whole)" : toVisible(pointer)}`];
  if (recorded === undefined && actual === undefined) return at;
  return [...at, `  recorded ${recorded ?? "(nothing)"}`, `  now      ${actual ?? "(nothing)"}`];
}
