// Media types (RFC 9110 §8.3.1) from a header or a file name, and the signatures of binary content.

import { MAX_SNIFFED_BYTES } from "../limits.js";

export interface MediaType {
  /** Lower case, without parameters. */
  readonly type: string;
  readonly charset?: string;
}

const BY_SUFFIX: Readonly<Record<string, string>> = {
  css: "text/css",
  csv: "text/csv",
  htm: "text/html",
  html: "text/html",
  js: "text/javascript",
  json: "application/json",
  md: "text/markdown",
  mjs: "text/javascript",
  pdf: "application/pdf",
  svg: "image/svg+xml",
  ts: "text/plain",
  txt: "text/plain",
  xhtml: "application/xhtml+xml",
  xml: "application/xml",
  yaml: "application/yaml",
  yml: "application/yaml",
};

const SIGNATURES: readonly (readonly [name: string, start: string])[] = [
  ["a PNG image", "\x89PNG"],
  ["a JPEG image", "\xff\xd8\xff"],
  ["a GIF image", "GIF8"],
  ["a PDF document", "%PDF-"],
  ["a ZIP archive or a document in one", "PK\x03\x04"],
  ["a gzip archive", "\x1f\x8b"],
  ["an ELF program", "\x7fELF"],
  ["a WebAssembly module", "\0asm"],
  ["an SQLite database", "SQLite format 3\0"],
];

/** Undefined for a header that is absent or not a media type. */
export function parseMediaType(header: string | undefined): MediaType | undefined {
  const [essence = "", ...parameters] = (header ?? "").slice(0, 1000).split(";");
  const type = essence.trim().toLowerCase();
  if (!/^[^\s/]+\/[^\s/]+$/.test(type)) return undefined;
  for (const parameter of parameters) {
    const [name = "", value = ""] = parameter.split("=");
    if (name.trim().toLowerCase() !== "charset") continue;
    return { type, charset: value.trim().replaceAll('"', "") };
  }
  return { type };
}

export function mediaTypeOfName(name: string): MediaType | undefined {
  const suffix = /\.([a-z]+)$/i.exec(name)?.[1]?.toLowerCase() ?? "";
  return Object.hasOwn(BY_SUFFIX, suffix) ? { type: BY_SUFFIX[suffix] as string } : undefined;
}

export function isHtml(type: string | undefined): boolean {
  return type === "text/html" || type === "application/xhtml+xml";
}

export function isJson(type: string | undefined): boolean {
  return type === "application/json" || type?.endsWith("+json") === true;
}

/** Describes content that cannot be read as text. Undefined for text, which a byte-order mark also marks. */
export function findBinary(bytes: Uint8Array, media: MediaType | undefined): string | undefined {
  const start = Buffer.from(bytes.buffer, bytes.byteOffset, Math.min(bytes.length, MAX_SNIFFED_BYTES));
  const [first, second] = start;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return undefined;
  const head = start.toString("latin1");
  const known = SIGNATURES.find(([, beginning]) => head.startsWith(beginning));
  if (known !== undefined) return known[0];
  if (media !== undefined && /^(image|audio|video|font)\//.test(media.type) && !media.type.endsWith("+xml")) {
    return media.type;
  }
  const isWide = media?.charset !== undefined && /^(utf-16|ucs-2|iso-10646-ucs-2|unicode)/i.test(media.charset);
  if (!isWide && head.includes("\0")) return media?.type ?? "unknown bytes";
  return undefined;
}
