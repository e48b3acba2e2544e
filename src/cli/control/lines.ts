// The lines of a stream of bytes, up to a limit for each.

import { CliError } from "../errors.js";
import { MAX_CONTROL_LINE_BYTES } from "../limits.js";

const NEWLINE = 0x0a;

/** Without their line breaks. Empty lines are left out, and a last line needs no line break. Throws `usage` beyond the limit. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  let rest: Uint8Array[] = [];
  let size = 0;
  const take = (): string => {
    const text = new TextDecoder().decode(Buffer.concat(rest)).trim();
    rest = [];
    size = 0;
    return text;
  };
  const keep = (bytes: Uint8Array): void => {
    size += bytes.length;
    if (size > MAX_CONTROL_LINE_BYTES) throw tooLong();
    rest.push(bytes);
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, start)) {
      keep(chunk.subarray(start, end));
      start = end + 1;
      const line = take();
      if (line !== "") yield line;
    }
    keep(chunk.subarray(start));
  }
  const last = take();
  if (last !== "") yield last;
}

function tooLong(): CliError {
  const hint = "Write one JSON object per line, and end each with a line break.";
  return new CliError("usage", `a line on stdin has more than ${MAX_CONTROL_LINE_BYTES} bytes`, hint);
}
