// A text cut to a length.

/** `text`, or its first `most` UTF-16 units and "…". Never keeps half a character. */
export function shorten(text: string, most: number): string {
  return text.length <= most ? text : `${text.slice(0, most).toWellFormed()}…`;
}
