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
/** So much of a secret must stand at the end of a text to count as one that was cut. */
const MIN_CUT_LENGTH = 8;

/** `text` as an error may show it: keys masked, control characters gone, cut to {@link MAX_SNIPPET_LENGTH}. */
export function quoteForeign(text: string, secret = ""): string {
  const masked = maskSecrets(text.slice(0, MAX_QUOTED_LENGTH), secret);
  // Control characters would let a hostile answer write to the terminal that prints the error.
  const line = masked.replace(/[\u0000-\u001f\u007f-\u009f]+/g, " ").trim();
  return cut(line).toWellFormed();
}

/** Replaces `secret` and everything of the shape of a key. */
export function maskSecrets(text: string, secret = ""): string {
  const masked = secret.length < MIN_SECRET_LENGTH ? text : maskCut(text.replaceAll(secret, MASK), secret);
  return masked.replace(KEY_SHAPES, MASK);
}

/** The text may have been cut in the middle of the secret: its beginning at the very end is masked as well. */
function maskCut(text: string, secret: string): string {
  for (let length = secret.length - 1; length >= MIN_CUT_LENGTH; length--) {
    if (text.endsWith(secret.slice(0, length))) return text.slice(0, -length) + MASK;
  }
  return text;
}

function cut(line: string): string {
  if (line.length <= MAX_SNIPPET_LENGTH) return line;
  const end = line.slice(0, MAX_SNIPPET_LENGTH);
  return end.isWellFormed() ? end : end.slice(0, -1);
}
