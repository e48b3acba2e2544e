// Quoting what a vendor said in an error: short, on one line, and without the key, which vendors like to echo.

/** The most characters of a foreign text that an error carries. */
export const MAX_SNIPPET_LENGTH = 500;

/** Shapes of keys and tokens, the vendor's own half-masked echoes ("sk-ab***yz") included. */
const KEY_SHAPES = /\b(?:sk|pk|rk|gsk|xai|hf)[-_][\w*.-]{6,}|\bBearer\s+[^\s"']+/gi;
const MASK = "***";

/** Enough to cut the snippet from once keys are masked; the rest of a foreign text is not looked at. */
const MAX_QUOTED_LENGTH = 8192;

/** A secret shorter than this is a placeholder, and masking it would only eat letters out of words. */
const MIN_SECRET_LENGTH = 4;

/** `text` as an error may show it: keys masked, control characters gone, cut to {@link MAX_SNIPPET_LENGTH}. */
export function quoteForeign(text: string, secret = ""): string {
  const masked = maskSecrets(text.slice(0, MAX_QUOTED_LENGTH), secret);
  // Control characters would let a hostile answer write to the terminal that prints the error.
  const line = masked.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  return cut(line).toWellFormed();
}

/** Replaces `secret` and everything of the shape of a key. */
export function maskSecrets(text: string, secret = ""): string {
  const masked = secret.length < MIN_SECRET_LENGTH ? text : text.replaceAll(secret, MASK);
  return masked.replace(KEY_SHAPES, MASK);
}

function cut(line: string): string {
  if (line.length <= MAX_SNIPPET_LENGTH) return line;
  const end = line.slice(0, MAX_SNIPPET_LENGTH);
  return end.isWellFormed() ? end : end.slice(0, -1);
}
