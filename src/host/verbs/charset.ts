// Decodes bytes by the first of these (HTML standard, §13.2.3.2): byte-order mark, the charset of the transport, `<meta>`, UTF-8 if the
// bytes are valid, else windows-1252. Labels are those of the Encoding standard.

import { decodeUtf8 } from "../../core/index.js";
import { MAX_PRESCANNED_BYTES } from "../limits.js";

export interface DecodedText {
  readonly text: string;
  /** The standard's name, such as `utf-8`. */
  readonly charset: string;
}

/** `declared` is from a header. An unknown label is ignored. Never throws. */
export function decodeText(bytes: Uint8Array, declared: string | undefined, isMarkup: boolean): DecodedText {
  const label = labelOfMark(bytes) ?? known(declared) ?? (isMarkup ? labelInMarkup(bytes) : undefined);
  if (label !== undefined) return decode(bytes, label);
  const text = decodeUtf8(bytes);
  return text === undefined ? decode(bytes, "windows-1252") : { text, charset: "utf-8" };
}

function decode(bytes: Uint8Array, label: string): DecodedText {
  const decoder = new TextDecoder(label);
  // In two steps, because Node 20 decodes a whole windows-1252 text as ISO-8859-1.
  const text = decoder.decode(bytes, { stream: true }) + decoder.decode();
  return { text, charset: decoder.encoding };
}

function labelOfMark([first, second, third]: Uint8Array): string | undefined {
  if (first === 0xef && second === 0xbb && third === 0xbf) return "utf-8";
  if (first === 0xfe && second === 0xff) return "utf-16be";
  return first === 0xff && second === 0xfe ? "utf-16le" : undefined;
}

function labelInMarkup(bytes: Uint8Array): string | undefined {
  const head = Buffer.from(bytes.subarray(0, MAX_PRESCANNED_BYTES)).toString("latin1");
  const label =
    /^<\?xml[^>]{0,200}encoding\s*=\s*["']([\w-]+)/i.exec(head)?.[1] ??
    /<meta[^>]{0,300}charset\s*=\s*["']?\s*([\w-]+)/i.exec(head)?.[1];
  const found = known(label);
  // A page whose declaration is readable as ASCII is not in UTF-16.
  return found?.startsWith("utf-16") === true ? "utf-8" : found;
}

function known(label: string | undefined): string | undefined {
  if (label === undefined) return undefined;
  try {
    return new TextDecoder(label).encoding;
  } catch {
    return undefined;
  }
}
