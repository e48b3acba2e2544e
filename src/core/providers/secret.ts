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

/** `text` as an error may show it: keys masked, control characters gone, cut to {@link MAX_SNIPPET_LENGTH}. */
export function quoteForeign(text: string, secret = ""): string {
  const isLong = text.length > MAX_QUOTED_LENGTH;
  const looked = isLong ? dropCutSecret(text.slice(0, MAX_QUOTED_LENGTH), secret) : text;
  const line = maskSecrets(looked, secret).replace(UNPRINTABLE, " ").trim();
  return cut(line).toWellFormed();
}

/** Replaces `secret`, everything of the shape of a key, and every piece of the secret of eight characters or more. */
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
  const pieces = new Set<string>();
  for (let at = 0; at + MIN_PIECE_LENGTH <= secret.length; at++) pieces.add(secret.slice(at, at + MIN_PIECE_LENGTH));
  let masked = "";
  let kept = 0;
  for (let at = 0; at + MIN_PIECE_LENGTH <= text.length; at++) {
    if (!pieces.has(text.slice(at, at + MIN_PIECE_LENGTH))) continue;
    let end = at + 1;
    while (pieces.has(text.slice(end, end + MIN_PIECE_LENGTH))) end++;
    masked += text.slice(kept, at) + MASK;
    kept = end - 1 + MIN_PIECE_LENGTH;
    at = kept - 1;
  }
  return masked + text.slice(kept);
}

function cut(line: string): string {
  if (line.length <= MAX_SNIPPET_LENGTH) return line;
  const end = line.slice(0, MAX_SNIPPET_LENGTH);
  return end.isWellFormed() ? end : end.slice(0, -1);
}
