// Quoting what a vendor said in an error: short, on one line, and without the key, which vendors like to echo.

/** The most characters of a foreign text that an error carries. */
export const MAX_SNIPPET_LENGTH = 500;

/** Shapes of keys and tokens, the vendor's own half-masked echoes ("sk-ab***yz") included. */
const KEY_SHAPES =
  /\b(?:sk|pk|rk|gsk|xai|hf|pplx|nvapi|csk)[-_][\w*.-]{6,}|\bAIza[\w-]{20,}|\beyJ[\w-]{10,}\.[\w.-]+|\bBearer\s+[^\s"']+/gi;
const MASK = "***";

/** Enough to cut the snippet from once keys are masked; the rest of a foreign text is not looked at. */
const MAX_QUOTED_LENGTH = 8192;

/** A secret shorter than this is a placeholder, and masking it would only eat letters out of words. */
const MIN_SECRET_LENGTH = 4;
/** So many characters of a secret in a row are a piece of it, wherever they stand. */
const MIN_PIECE_LENGTH = 8;

/** Control and line characters, and those that turn the direction of writing: they would write to the terminal that prints them. */
const UNPRINTABLE = /[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069]+/g;

/** A character as JSON escapes it, once or over again. */
const ESCAPED = /\\+u([0-9a-f]{4})/gi;

/**
 * For adapters: `text` as an error may show it: `secret` and all that looks like a key masked, control characters gone,
 * cut to {@link MAX_SNIPPET_LENGTH} characters.
 */
export function quoteForeign(text: string, secret = ""): string {
  const isLong = text.length > MAX_QUOTED_LENGTH;
  const looked = isLong ? dropCutSecret(text.slice(0, MAX_QUOTED_LENGTH), secret) : text;
  const line = maskSecrets(unescape(looked), secret).replace(UNPRINTABLE, " ").trim();
  return cut(line).toWellFormed();
}

function unescape(text: string): string {
  return text.replace(ESCAPED, (_escape, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
}

/**
 * Replaces `secret`, everything of the shape of a key, and every piece of the secret or of its base64 of eight characters or
 * more, in letters of either case and with any invisible characters between them.
 */
export function maskSecrets(text: string, secret = ""): string {
  if (secret.length < MIN_SECRET_LENGTH) return text.replace(KEY_SHAPES, MASK);
  // Pieces come last: masked first, they would break the shape of a longer key that shares them.
  return maskPieces(text.replaceAll(secret, MASK).replace(KEY_SHAPES, MASK), secret);
}

/** `text`, known to have been cut off, without the beginning of `secret` that stands at its end; four characters count. */
export function dropCutSecret(text: string, secret = ""): string {
  for (let length = secret.length - 1; length >= MIN_SECRET_LENGTH; length--) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length);
  }
  return text;
}

/** A vendor, a proxy or JSON.parse may quote a part of the secret, cut at either end. */
function maskPieces(text: string, secret: string): string {
  if (secret.length < MIN_PIECE_LENGTH) return text;
  const pieces = new Set([secret, ...base64Of(secret)].flatMap((form) => piecesOf(toVisible(form).letters)));
  const { letters, places } = toVisible(text);
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

/** What no eye sees between two letters, and the backslash that JSON puts before some of them. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Default_Ignorable_Code_Point}\u2028\u2029\\]/u;

/** What of `text` can be seen, in small letters, and where each of these code units stands in it. */
function toVisible(text: string): { letters: string; places: number[] } {
  const places: number[] = [];
  const letters: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const letter = text.charAt(at);
    if (INVISIBLE.test(letter)) continue;
    places.push(at);
    // A key is ASCII; other letters may become two when they are made small.
    letters.push(letter >= "A" && letter <= "Z" ? letter.toLowerCase() : letter);
  }
  return { letters: letters.join(""), places };
}

const BASE64 = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/**
 * The base64 of a text of ASCII (RFC 4648 §4 and §5), as far as it is the same whatever stands before and after it: once for
 * each of the three places in a group of bytes where it can begin.
 */
function base64Of(text: string): string[] {
  const bits = Array.from(text, (letter) => (letter.charCodeAt(0) & 0xff).toString(2).padStart(8, "0")).join("");
  const plain = [0, 4, 2].map((skipped) =>
    (bits.slice(skipped).match(/.{6}/g) ?? []).map((six) => BASE64.charAt(Number.parseInt(six, 2))).join(""),
  );
  return [...plain, ...plain.map((form) => form.replaceAll("+", "-").replaceAll("/", "_"))];
}

function cut(line: string): string {
  if (line.length <= MAX_SNIPPET_LENGTH) return line;
  const end = line.slice(0, MAX_SNIPPET_LENGTH);
  return end.isWellFormed() ? end : end.slice(0, -1);
}
