// Commands as they are printed for somebody to type again.

/** A word as a POSIX shell reads it; one with line breaks or other controls as bash, zsh and POSIX.1-2024 §2.2.4 read it, on one line. */
export function quote(word: string): string {
  if (/^[\w./:@%+=,-]+$/.test(word)) return word;
  // eslint-disable-next-line no-control-regex -- these are what it is about
  if (!/[\0-\x1f\x7f]/.test(word)) return `'${word.replaceAll("'", `'\\''`)}'`;
  return `$'${word.replace(/[\\']/g, "\\$&").replace(/[^ -\uffff]|\x7f/g, escaped)}'`;
}

function escaped(control: string): string {
  if (control === "\n") return "\\n";
  return `\\${(control.codePointAt(0) ?? 0).toString(8).padStart(3, "0")}`;
}
