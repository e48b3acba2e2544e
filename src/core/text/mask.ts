// Foreign text quoted in an error: short, on one line, visible, and without the key, which vendors like to echo.

import { MAX_SNIPPET_LENGTH, MAX_SNIPPET_SOURCE_LENGTH } from "../limits.js";
import { isInvisible, toVisible } from "./visible.js";

/** Shapes of keys and tokens, including a vendor's own half-masked echoes ("sk-ab***yz"). */
const KEY_SHAPES =
  /\b(?:sk|pk|rk|gsk|xai|hf|pplx|nvapi|csk)[-_][\w*.-]{6,}|\bAIza[\w-]{20,}|\beyJ[\w-]{10,}\.[\w.-]+|\bBearer\s+[^\s"']+/gi;
const MASK = "***";

/** A shorter secret is a placeholder, and masking it would only remove letters from words. */
const MIN_SECRET_LENGTH = 4;
/** This many consecutive characters of a secret are masked wherever they occur. */
const MIN_PIECE_LENGTH = 8;

/** Control characters and line breaks, which would break the line; other invisible characters are shown as escapes. */
const CONTROLS = /[\p{Cc}\p{Zl}\p{Zp}]+/gu;

/** A character as JSON escapes it, once or several times. */
const ESCAPED = /\\+u([0-9a-f]{4})/gi;

/** For adapters: `text` for an error, without `secret` and keys, visible, and of {@link MAX_SNIPPET_LENGTH} characters at most. */
export function quoteForeign(text: string, secret = ""): string {
  const isLong = text.length > MAX_SNIPPET_SOURCE_LENGTH;
  const looked = isLong ? dropCutSecret(text.slice(0, MAX_SNIPPET_SOURCE_LENGTH), secret) : text;
  const line = maskSecrets(unescape(looked), secret)
    .replace(CONTROLS, " ")
    .replace(/^ +| +$/g, "");
  return cutSnippet(toVisible(line));
}

function unescape(text: string): string {
  return text.replace(ESCAPED, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/** Masks keys, `secret`, and pieces of it or its base64 of eight characters or more, in either case, also with invisible ones in between. */
export function maskSecrets(text: string, secret = ""): string {
  if (secret.length < MIN_SECRET_LENGTH) return text.replace(KEY_SHAPES, MASK);
  // Pieces come last: masked first, they would break the shape of a longer key that shares them.
  return maskPieces(text.replaceAll(secret, MASK).replace(KEY_SHAPES, MASK), secret);
}

/** A text that was cut off, without the beginning of `secret` at its end, if that has at least four characters. */
export function dropCutSecret(text: string, secret = ""): string {
  for (let length = secret.length - 1; length >= MIN_SECRET_LENGTH; length--) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length);
  }
  return text;
}

/** Masks parts of the secret: a vendor, a proxy or JSON.parse may quote one, cut at either end. */
function maskPieces(text: string, secret: string): string {
  if (secret.length < MIN_PIECE_LENGTH) return text;
  const pieces = new Set([secret, ...base64Of(secret)].flatMap((form) => piecesOf(visibleLetters(form).letters)));
  const { letters, places } = visibleLetters(text);
  const placeOf = (at: number): number => places[at] ?? text.length;
  let masked = "";
  let kept = 0;
  for (let at = 0; at + MIN_PIECE_LENGTH <= letters.length; at++) {
    if (!pieces.has(letters.slice(at, at + MIN_PIECE_LENGTH))) continue;
    let end = at + 1;
    while (pieces.has(letters.slice(end, end + MIN_PIECE_LENGTH))) end++;
    masked += text.slice(kept, placeOf(at)) + MASK;
    at = end - 2 + MIN_PIECE_LENGTH;
    kept = placeOf(at) + 1;
  }
  return masked + text.slice(kept);
}

function piecesOf(letters: string): string[] {
  const count = Math.max(0, letters.length - MIN_PIECE_LENGTH + 1);
  return Array.from({ length: count }, (_, at) => letters.slice(at, at + MIN_PIECE_LENGTH));
}

/** The visible code units of `text` in lower case, without the backslashes of JSON, and the place of each in `text`. */
function visibleLetters(text: string): { letters: string; places: number[] } {
  const places: number[] = [];
  let letters = "";
  let at = 0;
  for (const character of text) {
    if (character !== "\\" && !isInvisible(character)) {
      // A key is ASCII; other letters may become two in lower case.
      letters += character >= "A" && character <= "Z" ? character.toLowerCase() : character;
      for (let unit = 0; unit < character.length; unit++) places.push(at + unit);
    }
    at += character.length;
  }
  return { letters, places };
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/** The base64 (RFC 4648 §4, §5) of an ASCII text at each of its three places in a group, without characters that depend on neighbours. */
function base64Of(text: string): string[] {
  const bits = Array.from(text, (letter) => (letter.charCodeAt(0) & 0xff).toString(2).padStart(8, "0")).join("");
  const plain = [0, 4, 2].map((skipped) =>
    (bits.slice(skipped).match(/.{6}/g) ?? []).map((six) => BASE64.charAt(Number.parseInt(six, 2))).join(""),
  );
  return [...plain, ...plain.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))];
}

function cutSnippet(line: string): string {
  if (line.length <= MAX_SNIPPET_LENGTH) return line;
  const end = line.slice(0, MAX_SNIPPET_LENGTH);
  return end.isWellFormed() ? end : end.slice(0, -1);
}
