// Splits bytes into lines. If a line is too long, only its size is kept.

const LINE_FEED = 0x0a;

export type LineRead =
  | { readonly kind: "line"; readonly text: string; readonly bytes: number }
  | { readonly kind: "too-large"; readonly bytes: number }
  | { readonly kind: "not-utf8"; readonly bytes: number }
  /** The stream ended within a line, so its writer was cut off. */
  | { readonly kind: "torn"; readonly bytes: number };

/** Empty lines are left out. */
export async function* readLines(chunks: AsyncIterable<Uint8Array>, maxBytes: number): AsyncGenerator<LineRead> {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let parts: Uint8Array[] = [];
  let bytes = 0;
  const keep = (part: Uint8Array): void => {
    bytes += part.length;
    if (bytes > maxBytes) parts = [];
    else parts.push(part);
  };
  const finish = (): LineRead | undefined => {
    const [whole, length] = [parts, bytes];
    [parts, bytes] = [[], 0];
    if (length === 0) return undefined;
    if (length > maxBytes) return { kind: "too-large", bytes: length };
    try {
      return {
        kind: "line",
        text: decoder.decode(whole.length === 1 ? whole[0] : Buffer.concat(whole)),
        bytes: length,
      };
    } catch {
      return { kind: "not-utf8", bytes: length };
    }
  };
  for await (const chunk of chunks) {
    let start = 0;
    for (let end = chunk.indexOf(LINE_FEED); end !== -1; end = chunk.indexOf(LINE_FEED, start)) {
      keep(chunk.subarray(start, end));
      start = end + 1;
      const line = finish();
      if (line !== undefined) yield line;
    }
    if (start < chunk.length) keep(chunk.subarray(start));
  }
  if (bytes > 0) yield { kind: "torn", bytes };
}
