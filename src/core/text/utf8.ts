// Text from UTF-8 bytes.

/** The text without its byte-order mark. Undefined for bytes that are not UTF-8. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  return decode(bytes, false);
}

/** The text with its byte-order mark, so that it becomes the same bytes again. Undefined for bytes that are not UTF-8. */
export function decodeExactUtf8(bytes: Uint8Array): string | undefined {
  return decode(bytes, true);
}

function decode(bytes: Uint8Array, ignoreBOM: boolean): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM }).decode(bytes);
  } catch {
    return undefined;
  }
}
