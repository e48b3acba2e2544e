// Commands as they are printed for somebody to type again.

/** A word as a POSIX shell reads it. */
export function quote(word: string): string {
  return /^[\w./:@%+=,-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
