// Bytes as text and back: hexadecimal and base64 (RFC 4648 §4, §5), and text from UTF-8. Reading is strict (§3.5): a value has one
// spelling per alphabet.

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const DIGITS: ReadonlyMap<string, number> = new Map(Array.from(ALPHABET, (digit, value) => [digit, value]));

const HEX_BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, "0"));

export function hexByte(byte: number): string {
  return HEX_BYTES[byte] as string;
}

export function toHex(bytes: Uint8Array): string {
  let text = "";
  for (let index = 0; index < bytes.length; index++) text += hexByte(bytes[index] as number);
  return text;
}

export function joinBytes(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(parts.reduce((size, part) => size + part.length, 0));
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}

/** The bytes of hexadecimal text of either case, or undefined for other text. */
export function fromHex(text: string): Uint8Array | undefined {
  if (text.length % 2 !== 0 || !/^[0-9a-fA-F]*$/.test(text)) return undefined;
  return Uint8Array.from({ length: text.length / 2 }, (_, index) => parseInt(text.slice(2 * index, 2 * index + 2), 16));
}

export function toBase64(bytes: Uint8Array): string {
  const at = (index: number): number => bytes[index] ?? 0;
  let text = "";
  for (let index = 0; index < bytes.length; index += 3) {
    const bits = (at(index) << 16) | (at(index + 1) << 8) | at(index + 2);
    const digits = digitOf(bits >> 18) + digitOf(bits >> 12) + digitOf(bits >> 6) + digitOf(bits);
    const left = bytes.length - index;
    text += left >= 3 ? digits : digits.slice(0, left + 1).padEnd(4, "=");
  }
  return text;
}

const digitOf = (bits: number): string => ALPHABET.charAt(bits & 63);

/** The bytes of base64 text in either alphabet, with or without its padding, or undefined for other text. */
export function fromBase64(text: string): Uint8Array | undefined {
  const plain = text.replaceAll("-", "+").replaceAll("_", "/");
  const digits = plain.length % 4 === 0 ? plain.replace(/={1,2}$/, "") : plain;
  if (digits.length % 4 === 1) return undefined;
  const bytes: number[] = [];
  let bits = 0;
  let held = 0;
  for (const digit of digits) {
    const value = DIGITS.get(digit);
    if (value === undefined) return undefined;
    bits = ((bits << 6) | value) & 0xffff;
    held += 6;
    if (held < 8) continue;
    held -= 8;
    bytes.push((bits >> held) & 0xff);
  }
  return (bits & ((1 << held) - 1)) === 0 ? Uint8Array.from(bytes) : undefined;
}

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
